#include "roles/load/search.hpp"

#include "catch_result.hpp"

#include <boost/json.hpp>

using namespace lab;
using namespace lab::load;

namespace {

// What a server that takes up to `knee` requests a second does to a driver that asks for `rate`.
Outcome measured(double rate, double knee) {
  Outcome outcome;
  outcome.measure_ns = 1;
  outcome.end_ns = 1'000'000'001;
  outcome.threads = outcome.clients = 1;
  outcome.target_rate = rate;
  const auto count = static_cast<std::uint64_t>(rate);
  Tally& tally = outcome.tally;
  tally.scheduled = count;
  tally.in(Window::measure).begun = tally.in(Window::measure).done = count;
  const std::uint64_t ns = rate <= knee ? 1'000'000 : 100'000'000;
  tally.latency.record(ns, count);
  tally.service.record(ns, count);
  return outcome;
}

SearchPlan plan_within(const char* limit) {
  SearchPlan plan;
  plan.limits = {parse_threshold(limit).value()};
  return plan;
}

}  // namespace

TEST_CASE("the highest rate is bracketed by doubling, narrowed by bisection, and confirmed in a run of its own") {
  for (const double knee : {40.0, 730.0, 12'345.0}) {
    std::vector<Probe> told;
    const auto found = find_max(
        plan_within("p99<50ms"), [&](double rate) -> Result<Outcome> { return measured(rate, knee); },
        [&](const Probe& probe) { told.push_back(probe); });
    REQUIRE(found);
    CHECK(found->rate <= knee);
    CHECK(found->rate > knee / 1.03);
    CHECK(found->bounded);
    CHECK(told.size() == found->probes.size());
    CHECK(told.size() < 25);
    CHECK(told.back().confirmation);
    CHECK(told.back().rate == found->rate);
    CHECK(to_json(*found).at("rate") == found->rate);
  }
}

TEST_CASE("a confirmation that fails steps down until one holds") {
  int runs = 0;
  const auto flaky = [&](double rate) -> Result<Outcome> { return measured(rate, ++runs > 9 ? 650 : 730); };
  const auto found = find_max(plan_within("p99<50ms"), flaky, [](const Probe&) {});
  REQUIRE(found);
  CHECK(found->rate <= 650);
  CHECK(found->rate > 600);
}

TEST_CASE("what keeps a rate from counting: errors, a missed target, the driver itself, a limit") {
  const SearchPlan plan = plan_within("p99<50ms");
  CHECK(unmet(measured(1000, 2000), plan).empty());
  CHECK(unmet(measured(1000, 500), plan) == "not p99<50ms");
  Outcome outcome = measured(1000, 2000);
  outcome.tally.scheduled += 20;
  outcome.tally.unstarted = 20;
  CHECK(unmet(outcome, plan) == "rate-missed");
  outcome = measured(1000, 2000);
  outcome.tally.cpu_ns = 950'000'000;
  CHECK(unmet(outcome, plan) == "driver-bound");
  outcome = measured(1000, 2000);
  outcome.tally.in(Window::measure).failed = 2;
  CHECK(unmet(outcome, plan) == "2 of 1002 requests failed");
}

TEST_CASE("where no rate is within the limit the search ends and says so") {
  const auto found = find_max(
      plan_within("p99<50ms"), [](double rate) -> Result<Outcome> { return measured(rate, 0); }, [](const Probe&) {});
  REQUIRE(found);
  CHECK(found->rate == 0);
}
