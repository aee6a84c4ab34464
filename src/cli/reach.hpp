// What `lab ssh`, `lab exec` and `lab logs` share: this process becomes OpenSSH's client.
#pragma once

#include "labs.hpp"

#include <string>
#include <vector>

namespace lab::cli {

// Returns only when it cannot: the error is printed. The command's exit code is the process's; 255 is ssh's own.
void become_ssh(Context& context, const std::string& lab, const std::string& node, const std::vector<std::string>& command);

}  // namespace lab::cli
