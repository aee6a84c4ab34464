// vmcp(8): CP commands from inside a guest.
#pragma once

#include "lab/error.hpp"

#include <string>

namespace lab::zlinux {

// What vmcp's exit code and what it printed mean: 0 and 2 (only its output was cut) that CP has done the command, 1 that CP refuses it,
// 3 that Linux does, 4 that vmcp was called wrongly.
Result<void> judge_vmcp(const std::string& command, int exit, const std::string& printed);

}  // namespace lab::zlinux
