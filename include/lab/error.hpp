// Errors are values. Components return them, the command line prints them.
#pragma once

#include <boost/system/result.hpp>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace lab {

// How the command line ends when this error reaches it (design: exit codes).
enum class Failure { failed = 1, usage = 2, missed = 3, interrupted = 130 };

struct Error {
  std::string what;    // what went wrong, one line, no full stop
  std::string where;   // "file:line:col", or "node webseal: command"; empty when it adds nothing
  std::string remedy;  // what to do about it, one line; empty when nobody could know
  std::string detail;  // further lines: the source line with a caret, or the output of a command
  Failure failure = Failure::failed;

  // Not to be made from one std::string: a Result<std::string> could not tell its value from its error.
  Error() = default;
  explicit Error(const char* what_) : what(what_) {}
  Error(std::string what_, std::string where_, std::string remedy_ = {}, std::string detail_ = {}, Failure failure_ = Failure::failed)
      : what(std::move(what_)), where(std::move(where_)), remedy(std::move(remedy_)), detail(std::move(detail_)), failure(failure_) {}
};

using Errors = std::vector<Error>;

template <class T, class E = Error>
using Result = boost::system::result<T, E>;

// Called by result::value() on an error: only a bug asks for a value that is not there.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& at);
[[noreturn]] void throw_exception_from_error(const Errors& errors, const boost::source_location& at);

// "what", "  at where", detail, "  remedy" on lines of their own, as the command line prints it after "error: ".
std::string to_string(const Error& error);
std::ostream& operator<<(std::ostream& out, const Error& error);
std::ostream& operator<<(std::ostream& out, const Errors& errors);

// The text of errno for a failed system call: "open /x: No space left on device".
Error system_error(const std::string& action, int error_number, std::string remedy = {});

}  // namespace lab
