#include "orchestrator/access.hpp"

#include "orchestrator/world.hpp"
#include "remote/process.hpp"
#include "remote/remote.hpp"

#include <sys/stat.h>
#include <boost/json.hpp>
#include <cerrno>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

}  // namespace

Result<void> ensure_key(const fs::path& folder, Deadline deadline) {
  const StateFiles files(folder);
  std::error_code ignored;
  if (mkdir(files.keys.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("make " + files.keys.string(), errno, "free some disk space");
  }
  if (fs::exists(files.private_key, ignored) && fs::exists(files.private_key.string() + ".pub", ignored)) {
    return {};
  }
  fs::remove(files.private_key, ignored);
  const auto made =
      remote::run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", files.private_key.string()}, {}, deadline);
  if (!made) {
    return made.error();
  }
  return made->exit == 0 ? Result<void>() : Error{"ssh-keygen made no key", files.private_key.string(), "", made->out + made->err};
}

std::string known_hosts(const State& state) {
  std::string text;
  for (const providers::NodeRecord& record : state.nodes) {
    const auto* const line = record.details.if_contains("host_key");
    if (line != nullptr && line->is_string()) {
      text += record.node.name + " " + std::string(line->get_string()) + "\n";
    }
  }
  return text;
}

std::vector<std::string> ssh_command(const fs::path& folder, const StandingNode& node, const std::vector<std::string>& command) {
  const StateFiles files(folder);
  const auto option = [](const std::string& name, const std::string& value) { return name + "=\"" + value + "\""; };
  std::vector<std::string> words{"ssh",
                                 "-F",
                                 "none",
                                 "-o",
                                 option("UserKnownHostsFile", files.known_hosts.string()),
                                 "-o",
                                 "GlobalKnownHostsFile=none",
                                 "-o",
                                 "StrictHostKeyChecking=yes",
                                 "-o",
                                 option("HostKeyAlias", node.name),
                                 "-o",
                                 "IdentitiesOnly=yes",
                                 "-o",
                                 "LogLevel=ERROR",
                                 "-i",
                                 key_of(folder, node).string(),
                                 "-p",
                                 std::to_string(node.ssh_port),
                                 node.ssh_user + "@" + node.ssh_address};
  if (!command.empty()) {
    std::string line;
    for (const std::string& word : command) {
      line += (line.empty() ? "" : " ") + remote::shell_quote(word);
    }
    words.push_back("--");
    words.push_back(line);
  }
  return words;
}

}  // namespace lab::orchestrator
