// The live table on a pseudo-terminal: what somebody in front of it sees.
#include "cli/run_progress.hpp"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <sstream>

using namespace lab;
using namespace std::chrono_literals;

namespace {

// What a terminal makes of the bytes: those that the live table uses. Lines that are too long are wrapped, and wrapped again when the
// width changes.
class Screen {
 public:
  explicit Screen(int columns) : columns_(columns) {}

  void width(int columns) { columns_ = columns; }

  void take(const std::string& bytes) {
    for (const char c : bytes) {
      if (!sequence_.empty() || c == '\033') {
        sequence_ += c;
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
          control();
        }
      } else if (c == '\r') {
        column_ = 0;
      } else if (c == '\n') {
        column_ = 0;
        ++row_;
        if (row_ == lines_.size()) {
          lines_.emplace_back();
        }
      } else if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) {  // more of the character before (UTF-8)
        lines_[row_][column_ - 1] += c;
      } else {
        lines_[row_].resize(std::max(lines_[row_].size(), column_ + 1), " ");
        lines_[row_][column_++] = std::string(1, c);
      }
    }
  }

  std::string text() const {
    std::string out;
    for (const Line& line : lines_) {
      for (std::size_t at = 0; at < line.size(); ++at) {
        out += (at > 0 && at % static_cast<std::size_t>(columns_) == 0 ? "\n" : "") + line[at];
      }
      out += "\n";
    }
    return out;
  }

 private:
  using Line = std::vector<std::string>;  // a character a column

  std::size_t rows_of(const Line& line) const {
    const auto columns = static_cast<std::size_t>(columns_);
    return std::max<std::size_t>(1, (line.size() + columns - 1) / columns);
  }

  void control() {
    const char what = sequence_.back();
    REQUIRE(sequence_.substr(0, 2) == "\033[");
    if (what == 'A') {
      for (int rows = std::stoi(sequence_.substr(2)); rows > 0 && row_ > 0;) {
        --row_;
        rows -= static_cast<int>(rows_of(lines_[row_]));
        REQUIRE(rows >= 0);  // it would stop within a line
      }
    } else if (what == 'J') {
      lines_.resize(row_ + 1);
      lines_[row_].resize(column_);
    } else {
      FAIL("an escape sequence that the table has no use for: " << what);
    }
    sequence_.clear();
  }

  int columns_;
  std::vector<Line> lines_ = std::vector<Line>(1);
  std::size_t row_ = 0, column_ = 0;
  std::string sequence_;
};

class Terminal {
 public:
  explicit Terminal(int columns) : screen(columns) {
    std::array<char, 128> name{};
    winsize size = {24, static_cast<unsigned short>(columns), 0, 0};
    REQUIRE(openpty(&master_, &slave, name.data(), nullptr, &size) == 0);
    out.open(name.data());
    REQUIRE(out.is_open());
  }
  ~Terminal() {
    close(slave);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(int columns) {
    winsize size = {24, static_cast<unsigned short>(columns), 0, 0};
    REQUIRE(ioctl(slave, TIOCSWINSZ, &size) == 0);
    screen.width(columns);
    REQUIRE(kill(getpid(), SIGWINCH) == 0);
  }

  // Takes what comes until the screen is like that; what it is like after ten seconds otherwise.
  std::string once(const std::function<bool(const std::string&)>& like) {
    std::array<char, 4096> bytes{};
    const Deadline end = Clock::now() + 10s;
    while (!like(screen.text()) && Clock::now() < end) {
      pollfd waiting{master_, POLLIN, 0};
      if (poll(&waiting, 1, 10'000) <= 0) {
        break;
      }
      const ssize_t got = read(master_, bytes.data(), bytes.size());
      REQUIRE(got > 0);
      screen.take({bytes.data(), static_cast<std::size_t>(got)});
    }
    return screen.text();
  }
  std::string once(const std::string& expected) {
    return once([&](const std::string& text) { return text == expected; });
  }

  Screen screen;
  int slave = -1;
  std::ofstream out;

 private:
  int master_ = -1;
};

Deadline still() { return Deadline{}; }

run::TrialPlan plan(std::vector<std::string> sides) {
  run::TrialPlan made;
  made.sides = std::move(sides);
  return made;
}

Trial trial(const std::string& cell, double rate) {
  Trial made;
  made.sides.emplace_back().cell = cell;
  made.sides.back().pages_per_s = rate;
  made.sides.back().service_us_p99 = 1900;
  made.sides.back().cpu = {{"webseal", 1.0}};
  return made;
}

const std::string kCell = "2/page=5.8KB/crypto=software/cpus=1/clients=8";

const std::string kFirst =
    "[--------------------] 0/2 trials  1m30s left\n"
    "now      2/page=5.8KB/crypto=software/cpus=1/clients=8\n"
    "\n"
    "\n";

const std::string kSecond =
    "[##########----------] 1/2 trials  45s left\n"
    "now      1/cpus=1\n"
    "\n"
    "\n"
    "last finished                                   pages/s      p99\n"
    "2/page=5.8KB/crypto=software/cpus=1/clients=8    16,250    1.9ms\n"
    "\n"
    "node     CPUs now  last trial\n"
    "webseal      0.40        100%  ##########\n"
    "\n";

}  // namespace

TEST_CASE("the table is drawn in place, and gone at the end") {
  Terminal terminal(80);
  Interrupt interrupt;
  cli::Context context{terminal.out, terminal.out, interrupt};
  context.terminal = true;
  {
    cli::RunProgress progress(context, terminal.slave, still);
    progress.starting(plan({kCell}), 1, 2, 90s);
    CHECK(terminal.once(kFirst) == kFirst);
    progress.finished(trial(kCell, 16250), 1, 2);
    progress.starting(plan({"1/cpus=1"}), 2, 2, 45s);
    progress.sampled({"webseal", 0.4});
    CHECK(terminal.once(kSecond) == kSecond);
  }
  CHECK(terminal.once("\n") == "\n");
}

TEST_CASE("a failed trial is said above the table, and stays") {
  Terminal terminal(80);
  Interrupt interrupt;
  cli::Context context{terminal.out, terminal.out, interrupt};
  context.terminal = true;
  Trial failed = trial("1/cpus=1", 0);
  failed.failed = "node was: no route";
  {
    cli::RunProgress progress(context, terminal.slave, still);
    progress.starting(plan({"1/cpus=1"}), 1, 2, 90s);
    progress.finished(failed, 1, 2);
    const std::string text = terminal.once([](const std::string& seen) {
      return seen.find("failed: node") != std::string::npos && seen.find("1/2 trials") != std::string::npos;
    });
    CHECK(text.substr(0, text.find("  1m30s")) == "1/2  1/cpus=1  failed: node was: no route\n[##########----------] 1/2 trials");
  }
  const std::string left = "1/2  1/cpus=1  failed: node was: no route\n\n";
  CHECK(terminal.once(left) == left);
}

TEST_CASE("the table follows the window's width") {
  Terminal terminal(80);
  Interrupt interrupt;
  cli::Context context{terminal.out, terminal.out, interrupt};
  context.terminal = true;
  cli::RunProgress progress(context, terminal.slave, still);
  progress.starting(plan({kCell}), 1, 2, 90s);
  REQUIRE(terminal.once(kFirst) == kFirst);
  terminal.resize(30);
  const std::string narrow =
      "0/2 trials  1m30s left\n"
      "now      2/page…s=1/clients=8\n"
      "\n"
      "\n";
  CHECK(terminal.once(narrow) == narrow);
  terminal.resize(80);
  CHECK(terminal.once(kFirst) == kFirst);
}

TEST_CASE("without a terminal a trial is a line") {
  std::ostringstream out;
  Interrupt interrupt;
  cli::Context context{out, out, interrupt};
  {
    cli::RunProgress progress(context);
    progress.starting(plan({"1/cpus=1"}), 1, 2, 90s);
    progress.sampled({"webseal", 0.4});
    Trial flagged = trial("1/cpus=1", 16250);
    flagged.flags = {"indicative"};
    progress.finished(flagged, 1, 2);
  }
  CHECK(out.str() == "1/2  1/cpus=1  16,250 pages/s  indicative\n");
}
