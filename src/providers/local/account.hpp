// Who runs this, as the system's user database knows them: sshd will let in nobody else.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <string>

namespace lab::providers::local {

struct Account {
  std::string name, shell;
  bool root = false;
};

// By getent(1): a static program has no plug-ins of its own for networks of users.
Result<Account> current_account(Deadline deadline);

// What would keep sshd from letting this user in: no shell, or a locked root. `shadow` is the text of /etc/shadow, as far as readable.
Result<void> check_login(const Account& account, const std::string& shadow);

}  // namespace lab::providers::local
