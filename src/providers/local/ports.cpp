#include "providers/local/ports.hpp"

#include "remote/descriptor.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace lab::providers::local {

namespace {

namespace fs = std::filesystem;

struct Listener {
  std::string address;  // hexadecimal, as the kernel prints it: 8 digits for IPv4, 32 for IPv6
  unsigned port = 0;
  std::string inode;
};

// proc(5), /proc/net/tcp: sl local remote st queues timers retransmits uid timeout inode
std::vector<Listener> listeners(const char* file) {
  std::vector<Listener> found;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string number, local, remote, state, skipped, inode;
    fields >> number >> local >> remote >> state;
    for (int field = 4; field < 9; ++field) {
      fields >> skipped;
    }
    fields >> inode;
    const auto colon = local.find(':');
    if (state == "0A" && colon != std::string::npos) {
      Listener listener{local.substr(0, colon), 0, inode};
      std::from_chars(local.data() + colon + 1, local.data() + local.size(), listener.port, 16);
      found.push_back(std::move(listener));
    }
  }
  return found;
}

bool has_socket(const fs::path& process, const std::string& inode) {
  std::error_code ignored;
  for (const auto& descriptor : fs::directory_iterator(process / "fd", ignored)) {
    if (fs::read_symlink(descriptor.path(), ignored).string() == "socket:[" + inode + "]") {
      return true;
    }
  }
  return false;
}

std::string owner_of(const std::string& inode) {
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    const std::string pid = process.path().filename().string();
    if (pid.find_first_not_of("0123456789") == std::string::npos && has_socket(process.path(), inode)) {
      std::string name;
      std::ifstream(process.path() / "comm") >> name;
      return "process " + pid + " (" + name + ")";
    }
  }
  return "a process of another user";
}

std::string hexadecimal(const in_addr& address) {
  std::ostringstream text;
  text << std::uppercase << std::hex;
  text.width(8);
  text.fill('0');
  text << address.s_addr;
  return text.str();
}

std::string who_listens(const in_addr& address, unsigned port) {
  const std::string exact = hexadecimal(address);
  for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    for (const Listener& listener : listeners(file)) {
      const bool everywhere = listener.address.find_first_not_of('0') == std::string::npos;
      if (listener.port == port && (everywhere || listener.address == exact)) {
        return owner_of(listener.inode) + (everywhere ? ", on all addresses," : "");
      }
    }
  }
  return "a process";
}

}  // namespace

Result<void> check_free(const Endpoint& endpoint, const std::string& node, const std::string& service) {
  const std::string name = endpoint.host + ":" + std::to_string(endpoint.port);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  if (inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr) != 1) {
    return Error{endpoint.host + " is not an IPv4 address", "node " + node};
  }
  const remote::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(socket.get(), 1) == 0) {
    return {};
  }
  if (errno == EADDRINUSE) {
    return Error{name + " is in use: " + who_listens(address.sin_addr, endpoint.port) + " listens there", "node " + node + ", " + service,
                 "end it, or give " + service + " another port in the lab file"};
  }
  return Error{system_error("listen at " + name, errno).what, "node " + node + ", " + service,
               errno == EACCES ? "ports below 1024 want root: give another one in the lab file" : ""};
}

bool listens_within(int second) {
  const auto all = listeners("/proc/net/tcp");
  return std::any_of(all.begin(), all.end(), [second](const Listener& listener) {
    unsigned long raw = 0;
    std::from_chars(listener.address.data(), listener.address.data() + listener.address.size(), raw, 16);
    const auto address = ntohl(static_cast<std::uint32_t>(raw));  // the kernel prints the word in network order
    return address >> 24U == 127 && (address >> 16U & 0xFFU) == static_cast<unsigned>(second);
  });
}

}  // namespace lab::providers::local
