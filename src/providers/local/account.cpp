#include "providers/local/account.hpp"

#include "remote/process.hpp"

#include <unistd.h>
#include <sstream>
#include <vector>

namespace lab::providers::local {

namespace {

// The fields of an entry of a database of getent(1); nothing when there is none.
Result<std::vector<std::string>> look_up(const std::string& database, const std::string& key, Deadline deadline) {
  const auto answer = remote::run({"getent", database, key}, {}, deadline);
  if (!answer) {
    return answer.error();
  }
  std::vector<std::string> fields;
  std::istringstream in(answer->out.substr(0, answer->out.find('\n')));
  for (std::string field; std::getline(in, field, ':');) {
    fields.push_back(field);
  }
  return fields;
}

}  // namespace

Result<Account> current_account(Deadline deadline) {
  const std::string uid = std::to_string(geteuid());
  const auto entry = look_up("passwd", uid, deadline);  // passwd(5): name password uid gid comment home shell
  if (!entry) {
    return entry.error();
  }
  if (entry->size() < 6 || entry->front().empty()) {
    return Error{"user " + uid + " has no account on this host", "provider local", "run lab as a user that `getent passwd` knows"};
  }
  const auto shadow = look_up("shadow", entry->front(), deadline);
  if (!shadow) {
    return shadow.error();
  }
  return Account{entry->front(), entry->size() > 6 && !entry->at(6).empty() ? entry->at(6) : "/bin/sh",
                 shadow->size() > 1 ? shadow->at(1) : "", geteuid() == 0};
}

Result<void> check_login(const Account& account) {
  const std::string shell = account.shell.substr(account.shell.rfind('/') + 1);
  if (shell == "nologin" || shell == "false" || access(account.shell.c_str(), X_OK) != 0) {
    return Error{"user " + account.name + " cannot log in: the shell is " + account.shell, "provider local",
                 "run lab as a user with a shell, or set one: chsh -s /bin/sh " + account.name};
  }
  if (account.password.starts_with('!')) {  // sshd without PAM refuses these, whatever the key
    return Error{"user " + account.name + " is locked, and sshd lets no locked user in", "provider local",
                 "run lab as another user, or allow logins by key alone: usermod -p '*' " + account.name};
  }
  return {};
}

}  // namespace lab::providers::local
