// Who runs this, as the system's user database knows them: sshd will let in nobody else.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <string>

namespace lab::providers::local {

struct Account {
  std::string name, shell;
  std::string password;  // the field of shadow(5), as far as this user, and so its sshd, may see it
  bool root = false;
};

// By getent(1): a static program has no plug-ins of its own for networks of users.
Result<Account> current_account(Deadline deadline);

// What would keep sshd from letting this user in: no shell, or a locked account.
Result<void> check_login(const Account& account);

}  // namespace lab::providers::local
