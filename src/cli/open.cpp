#include "open.hpp"

#include "remote/process.hpp"

#include <cstdlib>

namespace lab::cli {

Result<void> open_in_browser(const std::string& what, const std::string& elsewhere) {
  const auto opener = remote::find_program("xdg-open");
  if (!opener) {
    return Error{"no program here opens files", what, "open it in a browser, or apt-get install xdg-utils", {}};
  }
  remote::Command command;
  command.arguments = {*opener, what};
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      const auto started = remote::start(command);
      return started ? Result<void>{} : started.error();
    }
  }
  return Error{"there is no display to open it on", what, elsewhere, {}};
}

}  // namespace lab::cli
