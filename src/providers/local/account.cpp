#include "providers/local/account.hpp"

#include "remote/process.hpp"

#include <unistd.h>
#include <sstream>
#include <vector>

namespace lab::providers::local {

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ':');) {
    fields.push_back(field);
  }
  return fields;
}

}  // namespace

Result<Account> current_account(Deadline deadline) {
  const std::string uid = std::to_string(geteuid());
  const auto answer = remote::run({"getent", "passwd", uid}, {}, deadline);
  if (!answer) {
    return answer.error();
  }
  std::istringstream lines(answer->out);
  std::string line;
  std::getline(lines, line);
  const auto fields = split(line);  // passwd(5): name password uid gid comment home shell
  if (answer->exit != 0 || fields.size() < 6 || fields[0].empty()) {
    return Error{"user " + uid + " has no account on this host", "provider local", "run lab as a user that `getent passwd` knows"};
  }
  return Account{fields[0], fields.size() > 6 && !fields[6].empty() ? fields[6] : "/bin/sh", geteuid() == 0};
}

Result<void> check_login(const Account& account, const std::string& shadow) {
  const std::string shell = account.shell.substr(account.shell.rfind('/') + 1);
  if (shell == "nologin" || shell == "false" || access(account.shell.c_str(), X_OK) != 0) {
    return Error{"user " + account.name + " cannot log in: the shell is " + account.shell, "provider local",
                 "run lab as a user with a shell, or set one: chsh -s /bin/sh " + account.name};
  }
  std::istringstream lines(shadow);
  for (std::string line; std::getline(lines, line);) {
    const auto fields = split(line);  // shadow(5); sshd refuses a password field that starts with "!", PAM or not
    if (account.root && fields.size() > 1 && fields[0] == account.name && fields[1].starts_with('!')) {
      return Error{"user " + account.name + " is locked, and sshd lets no locked user in", "provider local",
                   "run lab as an ordinary user, or allow root logins by key: usermod -p '*' " + account.name};
    }
  }
  return {};
}

}  // namespace lab::providers::local
