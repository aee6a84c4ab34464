#include "providers/ssh/host.hpp"

#include "remote/process.hpp"
#include "remote/sha256.hpp"
#include "remote/ssh_key.hpp"
#include "store/files.hpp"
#include "store/read.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace lab::providers::ssh {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kHashDigits = 8;

fs::path folder_of(const fs::path& state) { return state / "hosts"; }
fs::path file_of(const fs::path& state, const std::string& node) { return folder_of(state) / (node + ".json"); }

Result<std::string> numeric_address(const Node& node) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = getaddrinfo(node.host.c_str(), nullptr, &hints, &found); failed != 0) {
    return Error{"host " + node.host + " has no address: " + gai_strerror(failed), "node " + node.name,
                 "give a numeric address, or a name that this host resolves"};
  }
  std::array<char, NI_MAXHOST> text{};
  getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  return std::string(text.data());
}

Result<std::string> this_user(Deadline deadline) {
  const auto said = remote::run({"id", "-un"}, {}, deadline);
  if (!said) {
    return said.error();
  }
  return said->out.substr(0, said->out.find('\n'));
}

Result<std::string> key_file(const Node& node) {
  std::string key = node.key.empty() ? "~/.ssh/id_ed25519" : node.key;
  if (key.starts_with("~/")) {
    const char* const home = std::getenv("HOME");
    key = (home == nullptr ? "" : std::string(home)) + key.substr(1);
  }
  if (auto good = remote::check_private_key(key); !good) {
    return Error{good.error().what, "node " + node.name, good.error().remedy + ", as the node's `key`"};
  }
  return key;
}

}  // namespace

std::string directory_name(const std::string& lab, const fs::path& state, const std::string& node) {
  remote::Sha256 sha256;
  sha256.add(state.string());
  return ".lab-" + lab + "-" + sha256.hex().substr(0, kHashDigits) + "-" + node;
}

std::string label_of(const std::string& lab, const fs::path& state, const std::string& node) {
  return "node " + node + " of lab " + lab + ", state " + state.string();
}

Result<Host> host_of(const Node& node, Deadline deadline) {
  const auto address = numeric_address(node);
  const auto user = node.user.empty() ? this_user(deadline) : Result<std::string>(node.user);
  const auto key = key_file(node);
  for (const auto* part : {&address, &user, &key}) {
    if (!*part) {
      return part->error();
    }
  }
  return Host{node.name, node.host, *address, node.port, *user, *key, node.host_key, "", ""};
}

Result<void> save(const fs::path& state, const Host& host) {
  std::error_code failed;
  fs::create_directories(folder_of(state), failed);
  if (failed) {
    return system_error("make " + folder_of(state).string(), failed.value());
  }
  const json::object object{{"name", host.name}, {"address", host.address},   {"port", host.port},          {"user", host.user},
                            {"key", host.key},   {"host_key", host.host_key}, {"line", host.host_key_line}, {"directory", host.directory}};
  return store::write_atomically(file_of(state, host.node), json::serialize(object) + "\n");
}

std::optional<Host> load(const fs::path& state, const std::string& node) {
  std::ifstream file(file_of(state, node));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  boost::system::error_code failed;
  const json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) {
    return std::nullopt;
  }
  const json::object& object = value.get_object();
  return Host{node,
              store::text_of(object, "name"),
              store::text_of(object, "address"),
              static_cast<std::uint16_t>(store::count_of(object, "port")),
              store::text_of(object, "user"),
              store::text_of(object, "key"),
              store::text_of(object, "host_key"),
              store::text_of(object, "line"),
              store::text_of(object, "directory")};
}

std::vector<Host> load_all(const fs::path& state) {
  std::vector<Host> hosts;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder_of(state), ignored)) {
    if (auto host = load(state, file.path().stem().string())) {
      hosts.push_back(std::move(*host));
    }
  }
  std::sort(hosts.begin(), hosts.end(), [](const Host& a, const Host& b) { return a.node < b.node; });
  return hosts;
}

void forget(const fs::path& state, const std::string& node) {
  std::error_code ignored;
  fs::remove(file_of(state, node), ignored);
  fs::remove(folder_of(state), ignored);  // not while others are in it
}

remote::Target target_of(const Host& host) { return {host.node, host.address, host.port, host.user, host.key, host.host_key}; }

}  // namespace lab::providers::ssh
