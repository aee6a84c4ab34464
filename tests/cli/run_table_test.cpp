#include "cli/run_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

using namespace lab;
using namespace std::chrono_literals;

namespace {

Side side(const std::string& cell, double rate, double p99) {
  Side made;
  made.cell = cell;
  made.pages_per_s = rate;
  made.service_us_p99 = p99;
  made.cpu = {{"client1", 0.058}, {"was", 0.0925}, {"webseal", 0.992}};
  return made;
}

cli::RunView some_way_in() {
  cli::RunView view;
  Trial first;
  first.sides = {side("1/page=5.8KB/cpus=1/clients=8", 3783, 5075), side("1/page=5.8KB/cpus=2/clients=8", 7240, 2890)};
  Trial second;
  second.sides = {side("2/page=2.9MB/crypto=software/cpus=1/clients=10", 12.44, 1'203'000)};
  second.flags = {"unsaturated"};
  Trial third;
  third.sides = {side("4/page=12KB/crypto=hardware/cpus=2/clients=8", 0, 0)};
  third.failed = "node was: no route";
  view.finished(first, 1, 40);
  view.finished(second, 2, 40);
  view.finished(third, 3, 40);
  view.starting({"2/page=5.8KB/crypto=software/cpus=1/clients=8", "2/page=5.8KB/crypto=software/cpus=2/clients=8"}, 4, 40, 205s);
  view.sampled("webseal", 0.397);
  return view;
}

std::string screen(const cli::RunView& view, cli::TerminalSize size) { return fmt::format("{}\n", fmt::join(view.lines(size), "\n")); }

}  // namespace

TEST_CASE("the table in 80 columns") {
  CHECK(screen(some_way_in(), {80, 23}) ==
        "[#-------------------] 3/40 trials  3m25s left\n"
        "now      2/page=5.8KB/crypto=software/cpus=1/clients=8\n"
        "against  2/page=5.8KB/crypto=software/cpus=2/clients=8\n"
        "\n"
        "last finished                                    pages/s      p99\n"
        "4/page=12KB/crypto=hardware/cpus=2/clients=8      failed\n"
        "2/page=2.9MB/crypto=software/cpus=1/clients=10      12.4     1.2s *\n"
        "1/page=5.8KB/cpus=1/clients=8                      3,783    5.1ms\n"
        "1/page=5.8KB/cpus=2/clients=8                      7,240    2.9ms\n"
        "\n"
        "node     CPUs now  last trial\n"
        "client1         -          6%  ----------\n"
        "was             -          9%  ----------\n"
        "webseal      0.40         99%  #########-\n");
}

TEST_CASE("the table in a narrow window keeps both ends of a cell's id") {
  CHECK(screen(some_way_in(), {44, 23}) ==
        "3/40 trials  3m25s left\n"
        "now      2/page=5.8K…ftware/cpus=1/clients=8\n"
        "against  2/page=5.8K…ftware/cpus=2/clients=8\n"
        "\n"
        "last finished             pages/s      p99\n"
        "4/page=…pus=2/clients=8    failed\n"
        "2/page=…us=1/clients=10      12.4     1.2s *\n"
        "1/page=…pus=1/clients=8     3,783    5.1ms\n"
        "1/page=…pus=2/clients=8     7,240    2.9ms\n"
        "\n"
        "node     CPUs now  last trial\n"
        "client1         -          6%\n"
        "was             -          9%\n"
        "webseal      0.40         99%\n");
}

TEST_CASE("whatever the window's size, the table stays inside it") {
  const cli::RunView view = some_way_in();
  for (int columns = 1; columns <= 120; ++columns) {
    for (int rows = 1; rows <= 24; ++rows) {
      const auto lines = view.lines({columns, rows});
      CAPTURE(columns, rows);
      REQUIRE(static_cast<int>(lines.size()) <= rows);
      for (const std::string& line : lines) {
        REQUIRE(cli::width_of(line) <= columns);
      }
    }
  }
}

TEST_CASE("before anything is finished there is only what is measured") {
  cli::RunView view;
  view.starting({"1/cpus=1"}, 1, 12, 61s);
  CHECK(screen(view, {80, 23}) == "[--------------------] 0/12 trials  1m1s left\nnow      1/cpus=1\n\n");
  view.pass(2s);
  CHECK(view.lines({80, 23}).front() == "[--------------------] 0/12 trials  59s left");
  view.pass(100s);
  CHECK(view.lines({80, 23}).front() == "[--------------------] 0/12 trials");
}

TEST_CASE("control characters do not reach the terminal, and characters are not cut in two") {
  CHECK(cli::fit("a\033[2Jb\n", 20) == "a?[2Jb?");
  CHECK(cli::fit("äöüäöü", 6) == "äöüäöü");
  CHECK(cli::fit("äöüäöü", 4) == "ä…öü");
  CHECK(cli::fit("äöüäöü", 1) == "ä");
  CHECK(cli::fit("abc", 0).empty());
}
