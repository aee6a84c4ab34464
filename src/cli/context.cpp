#include "command.hpp"

namespace lab::cli {

void Context::fail(const Error& error) {
  err << (color && terminal ? "\033[31merror:\033[0m " : "error: ") << to_string(error) << '\n';
  exit_code = static_cast<int>(error.failure);
}

void Context::fail(const Errors& errors) {
  for (const Error& error : errors) {
    fail(error);
  }
}

}  // namespace lab::cli
