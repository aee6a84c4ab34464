#include "orchestrator/access.hpp"

#include "orchestrator/world.hpp"
#include "remote/process.hpp"
#include "remote/remote.hpp"
#include "store/files.hpp"

#include <sys/random.h>
#include <sys/stat.h>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPasswordBytes = 16;

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

Result<void> ensure_database_password(const fs::path& folder) {
  const fs::path file = StateFiles(folder).database_password;
  std::error_code ignored;
  if (fs::exists(file, ignored)) {
    return {};
  }
  std::array<unsigned char, kPasswordBytes> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return system_error("make a password", errno);
  }
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (const unsigned char byte : random) {
    text << std::setw(2) << static_cast<unsigned>(byte);
  }
  if (auto written = store::write_atomically(file, text.str() + "\n"); !written) {
    return written;
  }
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, ignored);  // its folder is the owner's alone already
  return {};
}

std::string database_password(const fs::path& folder) {
  std::string password;
  std::getline(std::ifstream(StateFiles(folder).database_password) >> std::ws, password);
  return password;
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
