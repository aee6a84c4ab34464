#include "net/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

namespace lab::net {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Fd::reset() {
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

Result<Address> Address::resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return Error{
        "cannot resolve \"" + host + "\": " + gai_strerror(failed), {}, "give a numeric address, or a name in /etc/hosts or DNS", {}};
  }
  Address address;
  std::memcpy(&address.storage_, found->ai_addr, found->ai_addrlen);
  address.size_ = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

Result<Address> Address::parse(std::string_view text) {
  const Error malformed{
      "\"" + std::string(text) + "\" is no address", {}, "write HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080", {}, Failure::usage};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return malformed;
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    return malformed;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return malformed;
  }
  return resolve(std::string(host), port);
}

Address Address::peer_of(int fd) {
  Address address;
  address.size_ = sizeof address.storage_;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0) {
    address.size_ = 0;
  }
  return address;
}

Address Address::local_of(int fd) {
  Address address;
  address.size_ = sizeof address.storage_;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0) {
    address.size_ = 0;
  }
  return address;
}

std::string Address::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage_.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr, text, sizeof text);
  } else if (storage_.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr, text, sizeof text);
  }
  return text;
}

std::uint16_t Address::port() const {
  if (storage_.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  }
  if (storage_.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  }
  return 0;
}

std::string Address::text() const {
  const std::string name = storage_.ss_family == AF_INET6 ? "[" + host() + "]" : host();
  return name + ":" + std::to_string(port());
}

Result<Fd> listen_tcp(const Address& address, bool reuse_port, int backlog) {
  Fd fd(socket(address.data()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    return system_error("socket", errno, "raise the limit of open files (ulimit -n)");
  }
  const int one = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (reuse_port) {
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
  }
  if (bind(fd.get(), address.data(), address.size()) != 0 || listen(fd.get(), backlog) != 0) {
    const int error = errno;
    std::string remedy;
    if (error == EADDRINUSE) {
      remedy = "another process listens there: choose another port, or see who it is with `ss -ltnp`";
    } else if (error == EACCES) {
      remedy = "ports below 1024 need root: choose one above";
    } else if (error == EADDRNOTAVAIL) {
      remedy = "this host has no such address: see `ip addr`";
    }
    return system_error("cannot listen on " + address.text(), error, remedy);
  }
  return fd;
}

Result<Fd> connect_tcp(const Address& address, const Address* source) {
  Fd fd(socket(address.data()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    return system_error("socket", errno, "raise the limit of open files (ulimit -n)");
  }
  if (source != nullptr && bind(fd.get(), source->data(), source->size()) != 0) {
    return system_error("cannot use source address " + source->host(), errno);
  }
  set_nodelay(fd.get());
  if (connect(fd.get(), address.data(), address.size()) != 0 && errno != EINPROGRESS) {
    return system_error("cannot connect to " + address.text(), errno);
  }
  return fd;
}

int pending_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

void set_nodelay(int fd) {
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

namespace {

// A sockaddr_un for a path of any length: a long one goes through the open folder, /proc/self/fd/N/name.
struct UnixAddress {
  Fd folder;
  sockaddr_un address{};
};

Result<UnixAddress> unix_address(const std::string& path) {
  UnixAddress result;
  result.address.sun_family = AF_UNIX;
  std::string reachable = path;
  if (path.size() >= sizeof result.address.sun_path) {
    const std::filesystem::path whole(path);
    result.folder = Fd(open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!result.folder) {
      return system_error("cannot open " + whole.parent_path().string(), errno);
    }
    reachable = "/proc/self/fd/" + std::to_string(result.folder.get()) + "/" + whole.filename().string();
  }
  if (reachable.size() >= sizeof result.address.sun_path) {
    return Error{"the socket's file name is too long: " + path, {}, "use a name of at most 80 characters", {}};
  }
  std::memcpy(result.address.sun_path, reachable.c_str(), reachable.size() + 1);
  return result;
}

Result<Fd> connect_blocking(const std::string& path) {
  Result<UnixAddress> address = unix_address(path);
  if (!address) {
    return address.error();
  }
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) {
    return system_error("socket", errno);
  }
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->address), sizeof address->address) != 0) {
    return system_error("cannot connect to " + path, errno);
  }
  return fd;
}

}  // namespace

Result<Fd> listen_unix(const std::string& path) {
  if (connect_blocking(path)) {
    return Error{"somebody already listens on " + path, {}, "stop that process, or give another path", {}};
  }
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    unlink(path.c_str());
  }
  Result<UnixAddress> address = unix_address(path);
  if (!address) {
    return address.error();
  }
  Fd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) {
    return system_error("socket", errno);
  }
  const mode_t mask = umask(0177);
  const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address->address), sizeof address->address);
  const int error = errno;
  umask(mask);
  if (bound != 0 || listen(fd.get(), 64) != 0) {
    return system_error("cannot listen on " + path, bound != 0 ? error : errno);
  }
  return fd;
}

Result<Fd> connect_unix(const std::string& path) {
  Result<Fd> fd = connect_blocking(path);
  if (fd) {
    fcntl(fd->get(), F_SETFL, fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  }
  return fd;
}

}  // namespace lab::net
