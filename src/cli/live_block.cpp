#include "live_block.hpp"

#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace lab::cli {

namespace {

std::atomic<int> g_resized{-1};  // a signal handler has no other way to a value

void on_resize(int) {
  const int before = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(g_resized.load(), &one, sizeof one);
  errno = before;
}

}  // namespace

TerminalSize terminal_size(int fd) {
  winsize size = {};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

std::string LiveBlock::up(int columns) const {
  int rows = 0;
  for (const int width : widths_) {
    rows += std::max(1, (width + columns - 1) / std::max(1, columns));
  }
  return rows == 0 ? "\r" : "\r\033[" + std::to_string(rows) + "A";
}

void LiveBlock::draw(const std::vector<std::string>& lines, int columns) {
  if (lines == drawn_ && columns == columns_) {
    return;
  }
  drawn_ = lines;
  columns_ = columns;
  std::string text = up(columns) + "\033[J";
  widths_.clear();
  for (const std::string& line : lines) {
    text += line + "\n";
    widths_.push_back(width_of(line));
  }
  out_ << text << std::flush;
}

void LiveBlock::clear(int columns) {
  if (!widths_.empty()) {
    out_ << up(columns) << "\033[J" << std::flush;
    widths_.clear();
    drawn_.clear();
  }
}

Resizes::Resizes() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  g_resized = wake_.get();
  struct sigaction action = {};
  action.sa_handler = on_resize;
  action.sa_flags = SA_RESTART;
  sigaction(SIGWINCH, &action, &before_);
}

Resizes::~Resizes() {
  sigaction(SIGWINCH, &before_, nullptr);
  g_resized = -1;
}

}  // namespace lab::cli
