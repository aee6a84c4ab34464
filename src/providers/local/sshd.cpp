#include "providers/local/sshd.hpp"

#include "providers/local/processes.hpp"
#include "providers/local/watch.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace lab::providers::local {

namespace {

namespace fs = std::filesystem;

struct Files {
  explicit Files(const fs::path& node_folder) : folder(node_folder / "ssh") {}
  fs::path folder;
  fs::path config = folder / "sshd_config";
  fs::path host_key = folder / "host_key";
  fs::path pid = folder / "sshd.pid";
  fs::path log = folder / "sshd.log";
};

// Tokens such as %h are expanded in AuthorizedKeysFile alone.
std::string without_tokens(const fs::path& path) {
  std::string text;
  for (const char c : path.string()) {
    text += c == '%' ? std::string("%%") : std::string(1, c);
  }
  return text;
}

std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Result<void> write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  out.close();
  return out ? Result<void>() : system_error("write " + file.string(), errno == 0 ? EIO : errno, "free some disk space");
}

Error sshd_error(const Files& files, const std::string& what, const std::string& detail) {
  return Error{what, files.folder.string(), "see " + files.log.string(), detail};
}

// sshd writes its pid once it listens, and "fatal" when it gives up after it went to the background.
Result<remote::ProcessIdentity> await_listening(const Files& files, Watch& watch, Deadline deadline) {
  while (true) {
    if (const auto running = running_sshd(files.folder.parent_path())) {
      return *running;
    }
    const std::string log = read_text(files.log);
    if (log.find("fatal:") != std::string::npos || log.find("Cannot bind any address") != std::string::npos) {
      return sshd_error(files, "sshd does not start", log);
    }
    if (!watch.await_change(deadline)) {
      return sshd_error(files, "sshd does not listen in time", log);
    }
  }
}

// Arguments: sshd, its configuration, its log, then the groups to join.
constexpr const char* kJoinAndStart = R"(
sshd=$1 config=$2 log=$3; shift 3
for procs; do echo $$ > "$procs" || exit; done
exec "$sshd" -f "$config" -E "$log")";

}  // namespace

std::string sshd_config(const Sshd& sshd) {
  const Files files(sshd.node_folder);
  std::ostringstream text;
  text << "# Written by lab for one node; removed with it.\n"
       << "AddressFamily inet\n"
       << "ListenAddress " << sshd.address << "\n"
       << "Port " << kSshPort << "\n"
       << "HostKey \"" << files.host_key.string() << "\"\n"
       << "PidFile \"" << files.pid.string() << "\"\n"
       << "AuthorizedKeysFile \"" << without_tokens(sshd.authorized_keys) << "\"\n"
       << "AuthenticationMethods publickey\n"
       << "PubkeyAuthentication yes\n"
       << "PasswordAuthentication no\n"
       << "KbdInteractiveAuthentication no\n"
       << "HostbasedAuthentication no\n"
       << "AllowUsers " << sshd.user << "\n"
       << "PermitRootLogin prohibit-password\n"
       << "StrictModes no\n"
       << "UsePAM no\n"
       << "UseDNS no\n"
       << "PermitUserRC no\n"
       << "PrintMotd no\n"
       << "PrintLastLog no\n"
       << "X11Forwarding no\n"
       << "AllowTcpForwarding no\n"
       << "AllowAgentForwarding no\n"
       << "LoginGraceTime 20\n"
       << "MaxStartups 100:30:200\n"
       << "MaxSessions 64\n"
       << "Subsystem sftp internal-sftp\n"
       << "SetEnv \"" << kLabel << "=" << sshd.node_folder.string() << "\" \"HOME=" << sshd.node_folder.string() << "\"\n";
  return text.str();
}

Result<HostKey> ensure_host_key(const Sshd& sshd, const SshdPrograms& programs, Deadline deadline) {
  const Files files(sshd.node_folder);
  const fs::path public_key = files.host_key.string() + ".pub";
  std::error_code ignored;
  if (!fs::exists(files.host_key, ignored) || !fs::exists(public_key, ignored)) {
    fs::remove(files.host_key, ignored);
    const auto made =
        remote::run({programs.keygen, "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", files.host_key.string()}, {}, deadline);
    if (!made || made->exit != 0) {
      return made ? Error{"ssh-keygen made no host key", files.host_key.string(), "", made->out + made->err} : made.error();
    }
  }
  const auto shown = remote::run({programs.keygen, "-l", "-f", public_key.string()}, {}, deadline);
  if (!shown) {
    return shown.error();
  }
  HostKey key;  // "256 SHA256:… comment (ED25519)"
  std::string bits, type, blob;
  std::istringstream(shown->out) >> bits >> key.fingerprint;
  std::istringstream(read_text(public_key)) >> type >> blob;
  key.line = type + " " + blob;
  if (!key.fingerprint.starts_with("SHA256:") || blob.empty()) {
    return Error{"the host key is not readable", files.host_key.string(), "remove it, then run `lab up` again", shown->out + shown->err};
  }
  return key;
}

std::optional<remote::ProcessIdentity> running_sshd(const fs::path& node_folder) {
  const Files files(node_folder);
  int pid = 0;
  if (!(std::ifstream(files.pid) >> pid)) {
    return std::nullopt;
  }
  const std::string command = read_text("/proc/" + std::to_string(pid) + "/cmdline");
  return command.find(files.config.string()) == std::string::npos ? std::nullopt : remote::identify(pid);
}

Result<remote::ProcessIdentity> start_sshd(const Sshd& sshd, const SshdPrograms& programs, const std::vector<std::string>& procs_files,
                                           Deadline deadline) {
  const Files files(sshd.node_folder);
  std::error_code ignored;
  fs::remove(files.pid, ignored);
  fs::remove(files.log, ignored);
  if (auto written = write_text(files.config, sshd_config(sshd)); !written) {
    return written.error();
  }
  Watch watch(files.folder);
  std::vector<std::string> command{"/bin/sh", "-c", kJoinAndStart, "sh", programs.sshd, files.config.string(), files.log.string()};
  command.insert(command.end(), procs_files.begin(), procs_files.end());
  // The label is for the eye only: sshd writes its title over it.
  const auto started = remote::run(command, {{kLabel, sshd.node_folder.string()}}, deadline);
  if (!started) {
    return started.error();
  }
  if (started->exit != 0) {
    return sshd_error(files, "sshd does not start", started->err + read_text(files.log));
  }
  return await_listening(files, watch, deadline);
}

}  // namespace lab::providers::local
