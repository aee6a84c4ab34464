// Shows something in the desktop's browser.
#pragma once

#include "lab/error.hpp"

#include <string>

namespace lab::cli {

// `what`: a file or a URL. `elsewhere`: the remedy where there is no display. Errors also: no program that opens things.
Result<void> open_in_browser(const std::string& what, const std::string& elsewhere);

}  // namespace lab::cli
