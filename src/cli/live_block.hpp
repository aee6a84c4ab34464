// A block of lines at the end of a terminal, drawn again in place; what is printed meanwhile goes above it.
#pragma once

#include "net/socket.hpp"
#include "run_table.hpp"

#include <csignal>
#include <ostream>
#include <string>
#include <vector>

namespace lab::cli {

// The terminal of descriptor `fd`: 80 × 24 where it does not say.
TerminalSize terminal_size(int fd);

class LiveBlock {
 public:
  explicit LiveBlock(std::ostream& out) : out_(out) {}

  // The cursor stays in view, on the line below: whatever ends the program leaves the terminal as it should be.
  void draw(const std::vector<std::string>& lines, int columns);
  void clear(int columns);

 private:
  std::string up(int columns) const;  // to the block's first line, also where a narrower window has wrapped it

  std::ostream& out_;
  std::vector<std::string> drawn_;  // as it stands there, on a window of columns_: not drawn again
  int columns_ = 0;
  std::vector<int> widths_;  // of the lines on the terminal
};

// Makes fd() readable whenever the terminal's size changes (SIGWINCH). At most one at a time.
class Resizes {
 public:
  Resizes();
  ~Resizes();
  Resizes(const Resizes&) = delete;
  Resizes& operator=(const Resizes&) = delete;

  int fd() const { return wake_.get(); }

 private:
  net::Fd wake_;
  struct sigaction before_ = {};
};

}  // namespace lab::cli
