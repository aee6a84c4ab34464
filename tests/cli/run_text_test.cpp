#include "cli/run_text.hpp"

#include <catch2/catch.hpp>

using namespace lab;

namespace {

CellResult measured(const std::string& cpus, double rate, std::vector<std::string> flags) {
  CellResult cell;
  cell.id = "1/page=5.8KB/cpus=" + cpus;
  cell.scenario = "1";
  cell.axes = {{"page", "5.8KB"}, {"cpus", cpus}};
  cell.pages_per_s = {rate, rate * 0.9, rate * 1.1, 3};
  cell.limited_by = "webseal";
  cell.flags = std::move(flags);
  return cell;
}

}  // namespace

TEST_CASE("rates are read at a glance") {
  CHECK(cli::rate_text(0) == "0.00");
  CHECK(cli::rate_text(0.517) == "0.52");
  CHECK(cli::rate_text(29.34) == "29.3");
  CHECK(cli::rate_text(999.4) == "999");
  CHECK(cli::rate_text(16250.4) == "16,250");
  CHECK(cli::rate_text(1234567) == "1,234,567");
}

TEST_CASE("a summary says a flag of every cell once, and lists the claims that could be told") {
  Results results;
  results.cells = {measured("1", 16250, {"indicative"}), measured("2", 31000, {"unsaturated", "indicative"})};
  CellResult skipped = measured("4", 0, {});
  skipped.status = "skipped";
  skipped.reason = "no room";
  results.cells.push_back(skipped);
  ClaimResult agrees;
  agrees.id = "scale-8";
  agrees.kind = "ratio";
  agrees.published = "1.9";
  agrees.measured = {1.908, 1.85, 1.95, 6};
  agrees.verdict = "agrees";
  ClaimResult open;
  open.id = "log-8";
  results.claims = {agrees, open};
  CHECK(cli::summary_text(results) ==
        "\n"
        "scenario 1                                         pages/s       low      high   n  limited by, flags\n"
        "  page=5.8KB cpus=1                                 16,250    14,625    17,875   3  webseal\n"
        "  page=5.8KB cpus=2                                 31,000    27,900    34,100   3  webseal    unsaturated\n"
        "  page=5.8KB cpus=4                              skipped: no room\n"
        "\n"
        "cells:  2 measured, 1 skipped\n"
        "flags:  2 indicative, 1 unsaturated; of every cell, and not repeated above: indicative\n"
        "claims: 1 agrees, 1 cannot be told\n"
        "  agrees   scale-8                                  published ×\u202f1.9      measured ×\u202f1.91 (1.85–1.95, n = 6)\n");
}
