#include "cli/runs_text.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;

namespace {

std::vector<store::Trend> sample() {
  store::Trend trend{"local", "p", "1/page=5.8KB/cpus=1/clients=8", {}};
  trend.points.push_back({"local-p-20261130T200000Z", "2026-11-30T20:00:00Z", "quick", "measured", {8000, 7900, 8100, 6}, {}});
  trend.points.push_back({"local-p-20261130T210000Z", "2026-11-30T21:00:00Z", "quick", "failed", {}, {}});
  trend.points.push_back({"local-p-20261130T220000Z", "2026-11-30T22:00:00Z", "", "measured", {16000, 16000, 16000, 1}, {"noisy-host"}});
  return {trend};
}

}  // namespace

TEST_CASE("a trend is a line a run, the oldest first, with a bar from zero") {
  CHECK(cli::trends_text(sample()) ==
        "1/page=5.8KB/cpus=1/clients=8   p on local\n"
        "  begun              pages/s          interval   n\n"
        "  2026-11-30 20:00     8,000       7,900–8,100   6  ██████████\n"
        "    local-p-20261130T200000Z, quick\n"
        "  2026-11-30 21:00 failed\n"
        "    local-p-20261130T210000Z, quick\n"
        "  2026-11-30 22:00    16,000                 –   1  ████████████████████  noisy-host\n"
        "    local-p-20261130T220000Z\n");
}

TEST_CASE("a trend as JSON has every run with its interval and flags") {
  const auto all = cli::trends_json(sample());
  const auto& cell = all.at("cells").at(0).as_object();
  CHECK(cell.at("cell") == "1/page=5.8KB/cpus=1/clients=8");
  CHECK(cell.at("lab") == "local");
  REQUIRE(cell.at("runs").as_array().size() == 3);
  CHECK(cell.at("runs").at(0).at("pages_per_s").at("low") == 7900.0);
  CHECK(cell.at("runs").at(1).at("status") == "failed");
  CHECK(cell.at("runs").at(2).at("flags").at(0) == "noisy-host");
}
