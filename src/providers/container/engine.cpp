#include "providers/container/engine.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lab::providers::container {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kWhere = "provider container";
constexpr unsigned long kMostFiles = 1UL << 20U, kMostProcesses = 32'768;

std::string text_at(const json::value& value, const char* pointer) {
  boost::system::error_code missing;
  const json::value* const found = value.find_pointer(pointer, missing);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

bool true_at(const json::value& value, const char* pointer) {
  boost::system::error_code missing;
  const json::value* const found = value.find_pointer(pointer, missing);
  return found != nullptr && found->is_bool() && found->get_bool();
}

bool lists(const json::value& value, const char* pointer, std::string_view wanted) {
  boost::system::error_code missing;
  const json::value* const found = value.find_pointer(pointer, missing);
  return found != nullptr && found->is_array() &&
         std::any_of(found->get_array().begin(), found->get_array().end(), [&](const json::value& one) {
           return one.is_string() && std::string_view(one.get_string()).find(wanted) != std::string_view::npos;
         });
}

// proc(5): the file system's type stands after " - ".
bool is_mixed(std::string_view mountinfo) {
  return mountinfo.find(" - cgroup ") != std::string_view::npos && mountinfo.find(" - cgroup2 ") != std::string_view::npos;
}

unsigned long hard_limit(int resource, unsigned long most) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return limit.rlim_max == RLIM_INFINITY ? most : std::min<unsigned long>(limit.rlim_max, most);
}

// What Docker's client says where its daemon is out of reach. Clients before 23 exit with 0 and say it in their JSON.
Error no_daemon(const std::string& said) {
  const bool forbidden = said.find("permission denied") != std::string::npos;
  return Error{forbidden ? "this user may not speak to Docker's daemon" : "Docker's daemon does not answer", kWhere,
               forbidden ? "as root: usermod -aG docker USER, then log in anew; or run lab as root"
                         : "as root: service docker start; where it is not installed: apt-get install docker.io",
               said};
}

std::string first_of(const json::value& value, const char* pointer) { return text_at(value, (std::string(pointer) + "/0").c_str()); }

std::string text_of_file(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

}  // namespace

Host this_host() {
  const char* const wanted = std::getenv("LAB_ENGINE");
  return {remote::find_program,
          [](const std::vector<std::string>& arguments, Deadline deadline) { return remote::run(arguments, {}, deadline); },
          wanted == nullptr ? "" : wanted};
}

Result<EngineFacts> read_facts(EngineKind kind, std::string_view info, std::string_view mountinfo) {
  boost::system::error_code failed;
  const json::value told = json::parse(info, failed);
  if (failed || !told.is_object()) {
    return Error{"the engine's `info` is no JSON", kWhere, "see what `podman info` or `docker info` says",
                 std::string(info.substr(0, 300))};
  }
  if (const std::string said = first_of(told, "/ServerErrors"); !said.empty()) {
    return no_daemon(said);
  }
  EngineFacts facts;
  facts.mixed = is_mixed(mountinfo);
  if (kind == EngineKind::podman) {
    facts.version = text_at(told, "/version/Version");
    facts.rootless = true_at(told, "/host/security/rootless");
    facts.cgroup = text_at(told, "/host/cgroupVersion") == "v1" ? 1 : 2;
    facts.memory = lists(told, "/host/cgroupControllers", "memory");
    facts.cpu = lists(told, "/host/cgroupControllers", "cpu");
    facts.default_runtime = text_at(told, "/host/ociRuntime/name");
    facts.storage = text_at(told, "/store/graphDriverName");
  } else {
    facts.version = text_at(told, "/ServerVersion");
    facts.rootless = lists(told, "/SecurityOptions", "rootless");
    facts.cgroup = text_at(told, "/CgroupVersion") == "1" ? 1 : 2;
    facts.memory = true_at(told, "/MemoryLimit");
    facts.cpu = true_at(told, "/CpuCfsQuota");
    facts.default_runtime = text_at(told, "/DefaultRuntime");
    facts.storage = text_at(told, "/Driver");
  }
  // crun takes one hierarchy or the other: "cgroups in hybrid mode not supported".
  facts.runtime = facts.default_runtime == "crun" && facts.mixed ? "runc" : "";
  facts.open_files = hard_limit(RLIMIT_NOFILE, kMostFiles);
  facts.processes = hard_limit(RLIMIT_NPROC, kMostProcesses);
  return facts;
}

Result<void> check_runtime(const EngineFacts& facts, const Host& host) {
  if (!facts.runtime.empty() && !host.find_program(facts.runtime)) {
    return Error{"cgroups v1 and v2 are mounted together here, which " + facts.default_runtime + " refuses", kWhere,
                 "apt-get install " + facts.runtime + ": lab then uses it"};
  }
  return {};
}

Result<Engine> Engine::find(const Host& host) {
  if (!host.wanted.empty() && host.wanted != "podman" && host.wanted != "docker") {
    return Error{"LAB_ENGINE is \"" + host.wanted + "\"", kWhere, "set it to podman or docker, or unset it"};
  }
  for (const EngineKind kind : {EngineKind::podman, EngineKind::docker}) {
    const std::string name = kind == EngineKind::podman ? "podman" : "docker";
    const auto program = host.wanted.empty() || host.wanted == name ? host.find_program(name) : std::nullopt;
    if (program) {
      return Engine(host, kind, *program);
    }
  }
  return Error{(host.wanted.empty() ? "neither podman nor docker is" : host.wanted + " is not") + std::string(" installed"), kWhere,
               "apt-get install podman runc"};
}

Result<EngineFacts> Engine::facts(Deadline deadline) const {
  const auto info = attempt({"info", "--format", "{{json .}}"}, deadline);
  if (!info) {
    return info.error();
  }
  if (info->exit != 0) {
    return kind_ == EngineKind::docker ? no_daemon(info->err) : failure({"info"}, *info);
  }
  return read_facts(kind_, info->out, text_of_file("/proc/self/mountinfo"));
}

Result<std::string> Engine::run(const std::vector<std::string>& arguments, Deadline deadline) const {
  return output_of({program_}, arguments, deadline);
}

Result<std::string> Engine::run_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                                   Deadline deadline) const {
  return output_of({"env", "-C", folder.string(), program_}, arguments, deadline);
}

Result<std::string> Engine::output_of(std::vector<std::string> command, const std::vector<std::string>& arguments,
                                      Deadline deadline) const {
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto done = host_.execute(command, deadline);
  if (!done) {
    return done.error();
  }
  return done->exit == 0 ? Result<std::string>(std::move(done->out)) : failure(arguments, *done);
}

Error Engine::failure(const std::vector<std::string>& arguments, const remote::Finished& done) const {
  const auto said = lines_of(done.err);
  return Error{name() + " " + arguments.front() + " fails: " + (said.empty() ? "exit code " + std::to_string(done.exit) : said.back()),
               kWhere, "", name() + " " + joined(arguments) + "\n" + done.err};
}

Result<remote::Finished> Engine::attempt(const std::vector<std::string>& arguments, Deadline deadline) const {
  std::vector<std::string> command{program_};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return host_.execute(command, deadline);
}

bool Engine::never_used() const {
  const char* const home = std::getenv("HOME");
  std::error_code ignored;
  return kind_ == EngineKind::podman && geteuid() != 0 && home != nullptr &&
         !fs::exists(fs::path(home) / ".local" / "share" / "containers", ignored);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace lab::providers::container
