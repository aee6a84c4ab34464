#include "agent/unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lab::agent {
namespace {

using remote::Descriptor;

constexpr int kBacklog = 64;

struct Address {
  sockaddr_un name{};
  Descriptor folder;  // keeps the short way to the file open
};

Result<Address> address_of(const std::string& path) {
  Address address;
  address.name.sun_family = AF_UNIX;
  std::string reachable = path;
  if (path.size() >= sizeof address.name.sun_path) {
    const std::filesystem::path whole(path);
    address.folder.reset(open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!address.folder.open()) {
      return system_error("open " + whole.parent_path().string(), errno);
    }
    reachable = "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" + whole.filename().string();
  }
  if (reachable.size() >= sizeof address.name.sun_path) {
    return Error{"the name of socket " + path + " is too long", {}, "use a file name of at most 80 characters", {}};
  }
  std::memcpy(address.name.sun_path, reachable.c_str(), reachable.size() + 1);
  return address;
}

Result<Descriptor> make_socket() {
  Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket.open()) {
    return system_error("open a socket", errno);
  }
  return socket;
}

}  // namespace

Result<Descriptor> listen_unix(const std::string& path) {
  auto address = address_of(path);
  auto socket = make_socket();
  if (!address || !socket) {
    return address ? socket.error() : address.error();
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    unlink(path.c_str());
  }
  if (bind(socket->get(), reinterpret_cast<const sockaddr*>(&address->name), sizeof address->name) != 0 ||
      chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(socket->get(), kBacklog) != 0) {
    return system_error("listen on " + path, errno);
  }
  return socket;
}

Result<Descriptor> connect_unix(const std::string& path) {
  auto address = address_of(path);
  auto socket = make_socket();
  if (!address || !socket) {
    return address ? socket.error() : address.error();
  }
  if (connect(socket->get(), reinterpret_cast<const sockaddr*>(&address->name), sizeof address->name) != 0) {
    return system_error("connect to " + path, errno);
  }
  return socket;
}

}  // namespace lab::agent
