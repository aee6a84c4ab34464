// The container engine of this host, Podman or Docker, by its command line: what both understand alike, and what is found out about it.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/process.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::container {

// What the provider touches the host by; tests put a recorder here.
struct Host {
  std::function<std::optional<std::string>(const std::string&)> find_program;
  std::function<Result<remote::Finished>(const std::vector<std::string>&, Deadline)> execute;
  std::string wanted;  // LAB_ENGINE: "podman", "docker"; empty: the first of them that is installed
};
Host this_host();

enum class EngineKind { podman, docker };

struct EngineFacts {
  std::string version;
  bool rootless = false;
  int cgroup = 2;                // version of the hierarchy that the engine sees
  bool mixed = false;            // controllers in v1, and v2 mounted beside
  bool memory = true;            // whether it can limit memory
  bool cpu = true;               // whether it can limit CPUs
  std::string default_runtime;   // "crun", "runc"
  std::string runtime;           // to ask for; empty: the default serves
  std::string storage;           // "overlay", "vfs"
  unsigned long open_files = 0;  // the most that a container's processes may have: no more than this process may
  unsigned long processes = 0;
};

// From the text of `ENGINE info --format '{{json .}}'` and what /proc/self/mountinfo says.
Result<EngineFacts> read_facts(EngineKind kind, std::string_view info, std::string_view mountinfo);

// Whether a container can be made with these facts; an error says what is missing and how to get it.
Result<void> check_runtime(const EngineFacts& facts, const Host& host);

class Engine {
 public:
  // The engine that is installed, or an error that says how to install one. Starts nothing.
  static Result<Engine> find(const Host& host);

  EngineKind kind() const { return kind_; }
  const std::string& program() const { return program_; }
  std::string name() const { return kind_ == EngineKind::podman ? "podman" : "docker"; }

  Result<EngineFacts> facts(Deadline deadline) const;
  // Output of a command; an exit other than 0 is an error with what the engine said.
  Result<std::string> run(const std::vector<std::string>& arguments, Deadline deadline) const;
  // The same, in a folder: what watches over a Podman container leaves a file named "oom" where it was started from.
  Result<std::string> run_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments, Deadline deadline) const;
  // Whatever the exit code.
  Result<remote::Finished> attempt(const std::vector<std::string>& arguments, Deadline deadline) const;
  // A rootless Podman that this user never ran has made nothing, and need not be woken up to say so.
  bool never_used() const;

 private:
  Result<std::string> output_of(std::vector<std::string> command, const std::vector<std::string>& arguments, Deadline deadline) const;
  Error failure(const std::vector<std::string>& arguments, const remote::Finished& done) const;
  Engine(const Host& host, EngineKind kind, std::string program) : host_(host), kind_(kind), program_(std::move(program)) {}

  Host host_;
  EngineKind kind_;
  std::string program_;
};

// Lines of an output, empty ones left out.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace lab::providers::container
