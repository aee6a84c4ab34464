#include "zlinux/vmcp.hpp"

namespace lab::zlinux {

Result<void> judge_vmcp(const std::string& command, int exit, const std::string& printed) {
  const std::string where = "vmcp " + command;
  switch (exit) {
    case 0:
    case 2: return {};
    case 1:
      return Error{"CP refuses the command", where, "see the message's number in z/VM's HELP, or give the guest the privilege class",
                   printed};
    case 3: return Error{"Linux cannot speak to CP", where, "load the module: modprobe vmcp; it takes root", printed};
    case 4: return Error{"vmcp does not take these words", where, "", printed};
    default:
      return Error{"vmcp fails with exit code " + std::to_string(exit), where, "install s390-tools (s390-utils) on the guest", printed};
  }
}

}  // namespace lab::zlinux
