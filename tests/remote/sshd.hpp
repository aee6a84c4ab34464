// A private OpenSSH server on a loopback port, as the user who runs the tests, with keys of its own.
#pragma once

#include "remote/process.hpp"
#include "remote/remote.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace lab::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::uint16_t free_port();
inline void write_file(const std::filesystem::path& path, const std::string& text);
inline std::string read_file(const std::filesystem::path& path);

class Sshd {
 public:
  // More configuration lines may be given; they come first, and the first one wins.
  explicit Sshd(const std::string& more = {});
  Sshd(const Sshd&) = delete;
  Sshd& operator=(const Sshd&) = delete;
  ~Sshd();

  const remote::Target& target() const { return target_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  const remote::ProcessIdentity& process() const { return process_; }

 private:
  TemporaryFolder folder_;
  remote::Target target_;
  remote::ProcessIdentity process_;
  int log_ = -1;
};

// The fingerprint of the new key pair.
inline std::string make_key(const std::filesystem::path& file, const std::string& type = "ed25519");

namespace detail {

inline std::string output_of(const std::vector<std::string>& arguments) {
  const auto done = remote::run(arguments, {}, Clock::now() + std::chrono::seconds(30));
  if (!done || done->exit != 0) {
    throw std::runtime_error(arguments.front() + ": " + (done ? done->err : to_string(done.error())));
  }
  return done->out;
}

inline void await_line(int fd, const std::string& wanted) {
  std::string text;
  char c = 0;
  while (text.find(wanted) == std::string::npos) {
    if (read(fd, &c, 1) != 1) {
      throw std::runtime_error("sshd ended: " + text);
    }
    text.push_back(c);
  }
}

}  // namespace detail

inline TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lab-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("mkdtemp " + name);
  }
  path_ = name;
}

inline TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

inline std::uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  close(fd);
  return ntohs(address.sin_port);
}

inline void write_file(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline std::string make_key(const std::filesystem::path& file, const std::string& type) {
  detail::output_of({"ssh-keygen", "-q", "-t", type, "-N", "", "-C", "test", "-f", file.string()});
  std::istringstream line(detail::output_of({"ssh-keygen", "-lf", file.string() + ".pub"}));
  std::string bits;
  std::string fingerprint;
  line >> bits >> fingerprint;
  return fingerprint;
}

inline Sshd::Sshd(const std::string& more) {
  if (getuid() == 0) {
    std::filesystem::create_directories("/run/sshd");  // where a privileged sshd confines itself
  }
  target_ = {"node1", "127.0.0.1", free_port(), getpwuid(getuid())->pw_name, folder() / "user_key", make_key(folder() / "host_key")};
  make_key(target_.private_key);
  std::filesystem::copy_file(target_.private_key.string() + ".pub", folder() / "authorized_keys");
  write_file(folder() / "sshd_config", more + "\nListenAddress 127.0.0.1:" + std::to_string(target_.port) + "\nHostKey " +
                                           (folder() / "host_key").string() + "\nAuthorizedKeysFile " +
                                           (folder() / "authorized_keys").string() +
                                           "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                                           "SetEnv SHLVL=1\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe");
  }
  const auto program = remote::find_program("sshd");
  if (!program) {
    throw std::runtime_error("no sshd: install openssh-server");
  }
  const auto started = remote::start({{*program, "-D", "-e", "-f", (folder() / "sshd_config").string()}, {}, {}, {{2, ends[1]}}});
  close(ends[1]);
  log_ = ends[0];
  if (!started) {
    throw std::runtime_error(to_string(started.error()));
  }
  process_ = *started;
  detail::await_line(log_, "Server listening");
}

inline Sshd::~Sshd() {
  static_cast<void>(remote::end_process_group(process_, std::chrono::seconds(1), Clock::now() + std::chrono::seconds(5)));
  remote::reap(process_.pid);
  close(log_);
}

}  // namespace lab::test
