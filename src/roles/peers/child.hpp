// Somebody else's program as a child in this process's group, so that whoever ends or stops the group has it, too.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "net/socket.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lab::peers {

class Child {
 public:
  // The program first: a path, or a name that is looked for on PATH, in /usr/sbin and in /sbin. Standard input is /dev/null; output goes to
  // `out`, or with this process's standard error.
  static Result<Child> start(const std::vector<std::string>& command, int out = 2);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // kills it

  int pid() const { return pid_; }
  int ended() const { return watch_.get(); }  // readable once it has ended
  // Its exit code, 128 + n when ended by signal n; nothing while it runs.
  std::optional<int> reap();
  void signal(int number) const;
  // Sends the signal and waits for the end; at the deadline kills it.
  void stop(int number, Deadline deadline);

 private:
  Child(int pid, net::Fd watch) : pid_(pid), watch_(std::move(watch)) {}
  int pid_;
  net::Fd watch_;  // a pidfd
  std::optional<int> exit_;
};

// Absolute path of a program; nothing where it is not installed.
std::optional<std::string> find_program(const std::string& name);

// The command behind setpriv(1), which has it sent that signal when this process ends, however it does: it leaves no label on what it is
// called, nor in its environment, by which anybody else could find it.
std::vector<std::string> dying_with_us(const std::string& signal, const std::vector<std::string>& command);

// What a program prints on standard output, up to 64 KiB, when it ends well within the time; else nothing.
std::string output_of(const std::vector<std::string>& command, Deadline deadline);

}  // namespace lab::peers
