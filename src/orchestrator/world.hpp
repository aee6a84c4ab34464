// What the orchestrator works with; tests put fakes here.
#pragma once

#include "lab/agents.hpp"
#include "lab/error.hpp"
#include "lab/interrupt.hpp"
#include "orchestrator/lock.hpp"
#include "providers/provider.hpp"
#include "remote/binaries.hpp"
#include "remote/remote.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace lab::orchestrator {

// Agents that may be added to while others are called: src/agent's Fleet.
class Crew : public Agents {
 public:
  // Takes the connected remote over, attaches to the agent there. Safe from any thread.
  virtual Result<void> add(const StandingNode& node, std::unique_ptr<remote::Remote> remote, Deadline deadline) = 0;
};

struct World {
  std::filesystem::path root;                                                  // a folder a lab: $XDG_STATE_HOME/lab
  std::string build;                                                           // of this binary; agents of another one are replaced by `up`
  std::function<std::unique_ptr<providers::Provider>(ProviderKind)> provider;  // null: not in this build
  std::function<bool(const Lab&, int slot)> slot_taken;                        // by what no state here knows
  std::function<Result<std::unique_ptr<remote::Remote>>(const remote::Target&, Deadline)> connect;
  std::function<Result<void>(remote::Remote&, const StandingNode&, Deadline)> install;  // binary and agent
  std::function<std::unique_ptr<Crew>()> crew;
};

// What the user says of all nodes on the command line.
struct NodeOptions {
  bool new_host_keys = false;              // given hosts whose key is not pinned: pin what they show
  remote::Binaries::Given agent_binaries;  // for nodes of these architectures
};

// This host's: SSH, `binary` as what nodes run (and what lies beside it, for other architectures), providers of this build.
World real_world(std::filesystem::path root, const std::filesystem::path& binary, std::string build, const NodeOptions& options = {});

// $XDG_STATE_HOME/lab, or ~/.local/state/lab. The XDG specification wants absolute paths and ignores others.
Result<std::filesystem::path> default_root();

struct Progress {
  enum class Kind { started, done, failed } kind = Kind::started;
  std::string node;  // empty: of the whole lab
  std::string step;  // "sshd", "agent", "gateway", "removed"
};

// How a long operation is watched and ended.
struct Operation {
  const Interrupt& interrupt;
  std::function<void(const Progress&)> tell;  // from several threads, one at a time
  Waiting waiting;
  Deadline deadline;
};

// The lab meant by a name, or the only one there is when it is empty; none or several is an error that says what to do.
Result<std::string> choose(const World& world, const std::string& name);

// The private key that opens a node: its own, or the lab's.
std::filesystem::path key_of(const std::filesystem::path& state, const StandingNode& node);
remote::Target target_of(const std::filesystem::path& state, const StandingNode& node);

}  // namespace lab::orchestrator
