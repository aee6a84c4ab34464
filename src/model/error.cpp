#include "lab/error.hpp"

#include <cstring>
#include <ostream>
#include <stdexcept>

namespace lab {

void throw_exception_from_error(const Error& error, const boost::source_location&) {
  throw std::logic_error("unhandled error: " + to_string(error));
}

void throw_exception_from_error(const Errors& errors, const boost::source_location& at) {
  throw_exception_from_error(errors.empty() ? Error{"no error given", {}, {}, {}} : errors.front(), at);
}

std::string to_string(const Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) {
    text += "\n  at " + error.where;
  }
  if (!error.detail.empty()) {
    text += "\n" + error.detail;
    if (text.back() == '\n') {
      text.pop_back();
    }
  }
  if (!error.remedy.empty()) {
    text += "\n  " + error.remedy;
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_string(error); }

std::ostream& operator<<(std::ostream& out, const Errors& errors) {
  for (const Error& error : errors) {
    out << error << '\n';
  }
  return out;
}

Error system_error(const std::string& action, int error_number, std::string remedy) {
  return Error{action + ": " + std::strerror(error_number), {}, std::move(remedy), {}};
}

}  // namespace lab
