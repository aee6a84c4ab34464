// A user and the password that goes with the name.
#pragma once

#include <string>

namespace lab {

struct Credentials {
  std::string user, password;
  bool operator==(const Credentials&) const = default;
};

}  // namespace lab
