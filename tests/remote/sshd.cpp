#include "sshd.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace lab::test {
namespace {

using namespace std::chrono_literals;

std::string output_of(const std::vector<std::string>& arguments) {
  const auto done = remote::run(arguments, {}, Clock::now() + 30s);
  if (!done || done->exit != 0) {
    throw std::runtime_error(arguments.front() + ": " + (done ? done->err : to_string(done.error())));
  }
  return done->out;
}

void await_line(int fd, const std::string& wanted) {
  std::string text;
  char c = 0;
  while (text.find(wanted) == std::string::npos) {
    if (read(fd, &c, 1) != 1) {
      throw std::runtime_error("sshd ended: " + text);
    }
    text.push_back(c);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lab-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("mkdtemp " + name);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::uint16_t free_port() {
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

void write_file(const std::filesystem::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string make_key(const std::filesystem::path& file, const std::string& type) {
  output_of({"ssh-keygen", "-q", "-t", type, "-N", "", "-C", "test", "-f", file.string()});
  std::istringstream line(output_of({"ssh-keygen", "-lf", file.string() + ".pub"}));
  std::string bits;
  std::string fingerprint;
  line >> bits >> fingerprint;
  return fingerprint;
}

Sshd::Sshd(const std::string& more) {
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
  await_line(log_, "Server listening");
}

Sshd::~Sshd() {
  static_cast<void>(remote::end_process_group(process_, 1s, Clock::now() + 5s));
  remote::reap(process_.pid);
  close(log_);
}

}  // namespace lab::test
