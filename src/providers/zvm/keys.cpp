#include "providers/zvm/keys.hpp"

#include "config/config.hpp"
#include "providers/zvm/config_drive.hpp"
#include "providers/zvm/guest_record.hpp"
#include "remote/process.hpp"

namespace lab::providers::zvm {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& state, const std::string& node) { return state / "guests" / node; }

}  // namespace

Result<local::HostKey> host_key_of(const fs::path& state, const std::string& node, Deadline deadline) {
  const fs::path folder = folder_of(state, node);
  std::error_code failed;
  fs::create_directories(folder / "ssh", failed);
  if (failed) {
    return system_error("make " + (folder / "ssh").string(), failed.value(), "free some disk space");
  }
  fs::permissions(folder, fs::perms::owner_all, failed);
  const auto keygen = remote::find_program("ssh-keygen");
  if (!keygen) {
    return Error{"ssh-keygen not found", "provider zvm", "apt-get install openssh-client"};
  }
  local::Sshd sshd;
  sshd.node_folder = folder;
  return local::ensure_host_key(sshd, {{}, *keygen}, deadline);
}

void forget_key(const fs::path& state, const std::string& node) {
  std::error_code ignored;
  fs::remove_all(folder_of(state, node), ignored);
}

Result<std::string> drive_of(const Site& site, const Node& node, const local::HostKey& host_key) {
  auto lab_key = config::read_file(site.state / "keys" / "id_ed25519.pub");
  auto own_key = config::read_file(folder_of(site.state, node.name) / "ssh" / "host_key");
  if (!lab_key || !own_key) {
    return !lab_key ? lab_key.error() : own_key.error();
  }
  Identity identity;
  identity.host_name = node.name;
  identity.user = node.user.empty() ? kUser : node.user;
  identity.authorized_key = std::move(*lab_key);
  identity.host_key = std::move(*own_key);
  identity.host_key_public = host_key.line;
  identity.instance = label_of(site.name, site.state, node.name);
  return config_drive(identity);
}

}  // namespace lab::providers::zvm
