#include "driving.hpp"
#include "roles/load/calibrate.hpp"
#include "roles/load/target.hpp"
#include "scripted_server.hpp"

#include <algorithm>
#include <boost/json.hpp>

using namespace lab;
using namespace lab::load;
using namespace std::chrono_literals;

namespace {

LoadConfig pair_of(const std::string& a, const std::string& b, std::chrono::nanoseconds slice, std::chrono::nanoseconds gap) {
  LoadConfig config;
  config.url = a;
  config.clients = 2;
  config.against = LoadAgainst{b, slice, gap};
  config.duration = 10 * (slice + gap);
  return config;
}

}  // namespace

TEST_CASE("slots go A B, then A B B A again and again, all known beforehand") {
  const stats::SlotPlan plan = stats::plan_slots(1000, 100, 50, 200, 3000);
  CHECK(plan.warm == 2);
  CHECK(plan.groups == 4);
  std::string sides;
  for (std::size_t i = 0; i < plan.slots(); ++i) {
    sides += plan.side(i) == 0 ? 'A' : 'B';
    CHECK(plan.begin(i) == 1000 + static_cast<std::int64_t>(i) * 150);
    CHECK(plan.slot_at(plan.begin(i)) == i);
    CHECK(plan.open(i, plan.begin(i) + 99));
    CHECK_FALSE(plan.open(i, plan.begin(i) + 100));
  }
  CHECK(sides == "ABABABBAABBAABBAABBA");
  CHECK(plan.slot_at(999) == plan.slots());
  CHECK(stats::plan_slots(0, 100, 0, 0, 1).groups == 2);
}

TEST_CASE("a pair loads one side at a time, begins requests within its slices only, and reconciles each side") {
  std::atomic<int> a_now{0}, b_now{0}, overlaps{0}, a_served{0}, b_served{0};
  const auto serve = [&](std::atomic<int>& own, std::atomic<int>& other, std::atomic<int>& served, Session& session) {
    while (!session.request().empty()) {
      ++own;
      overlaps += other > 0 ? 1 : 0;
      ++served;
      --own;
      session.answer(200, "x");
    }
  };
  ScriptedServer a([&](Session& session) { serve(a_now, b_now, a_served, session); });
  ScriptedServer b([&](Session& session) { serve(b_now, a_now, b_served, session); });
  LoadConfig config = pair_of(a.url(), b.url(), 20ms, 200ms);
  config.threads = 2;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  const stats::SlotPlan& plan = *outcome.slot_plan;
  REQUIRE(outcome.slots.size() == plan.slots());
  CHECK(plan.slots() == 10);
  const bool drained = std::all_of(outcome.slots.begin(), outcome.slots.end(), [](const stats::Slot& slot) { return slot.late_ns == 0; });
  CHECK((overlaps == 0 || !drained));
  CHECK(all_pages(outcome.sides[0]).done == static_cast<std::uint64_t>(a_served));
  CHECK(all_pages(outcome.sides[1]).done == static_cast<std::uint64_t>(b_served));
  CHECK(a.connections() == 2);
  CHECK(b.connections() == 2);
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < outcome.slots.size(); ++i) {
    const stats::Slot& slot = outcome.slots[i];
    done += slot.done;
    if (slot.done > 0) {
      CHECK(slot.first_ns >= plan.begin(i));
      CHECK(slot.first_ns < plan.begin(i) + plan.slice_ns);
    }
  }
  CHECK(done == all_pages(outcome.tally).done);
  const boost::json::object against = to_json(outcome).at("against").as_object();
  CHECK(against.at("slices").as_array().size() == 10);
  CHECK(against.at("ratio").as_object().contains("median"));
}

TEST_CASE("a slot that is not drained when the next begins does not count, and the run says so") {
  ScriptedServer quick([](Session& session) { session.answer_all(200, "x"); });
  std::atomic<int> held{0};
  ScriptedServer slow([&](Session& session) {
    while (!session.request().empty()) {
      if (++held == 3) {  // one response comes long after its slot
        poll(nullptr, 0, 100);
      }
      session.answer(200, "x");
    }
  });
  LoadConfig config = pair_of(quick.url(), slow.url(), 10ms, 20ms);
  config.clients = 1;
  config.duration = 400ms;
  config.warmup = 0ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  const bool late = std::any_of(outcome.slots.begin(), outcome.slots.end(), [](const stats::Slot& slot) { return slot.late_ns > 0; });
  CHECK(late);
  const auto rates = stats::rates_of(*outcome.slot_plan, outcome.slots);
  CHECK(std::count(rates.begin(), rates.end(), 0.0) > 0);
}

TEST_CASE("what a calibration finds out: a gap of 1.5 drains, a slice for the longest page") {
  Outcome outcome;
  outcome.slot_plan = stats::plan_slots(0, 100'000'000, 400'000'000, 0, 1);
  outcome.slots.resize(outcome.slot_plan->slots());
  for (std::size_t i = 0; i < outcome.slots.size(); ++i) {
    outcome.slots[i].last_ns = outcome.slot_plan->begin(i) + 100'000'000 + (i == 0 ? 90'000'000 : i == 5 ? 40'000'000 : 1'000'000);
  }
  outcome.sides.resize(2);
  outcome.sides[1].page.record(250'000'000);
  const LoadAgainst found = calibrated(LoadAgainst{"http://x/", 100ms, std::nullopt}, outcome);
  CHECK(found.gap == 60ms);
  CHECK(found.slice >= 250ms);
  CHECK(found.slice < 251ms);
  LoadConfig config = pair_of("http://x/", "http://y/", 100ms, 1ms);
  config.against->gap.reset();
  CHECK(calibration(config).against->gap >= 200ms);
}

TEST_CASE("the other side has its own login and TLS where it says so, else the first one's") {
  LoadConfig config = pair_of("http://x/", "https://y/", 100ms, 1ms);
  config.login = LoginMode::once;
  config.ciphers = "A";
  config.tls_max = TlsVersion::tls1_2;
  LoadConfig other = other_side(config);
  CHECK(other.url == "https://y/");
  CHECK(other.login == LoginMode::once);
  CHECK(other.ciphers == "A");
  config.against->login = LoginMode::none;
  config.against->handshake = HandshakeMode::full;
  config.against->tls_max = TlsVersion::tls1_3;
  config.against->ciphers = "B";
  other = other_side(config);
  CHECK(other.login == LoginMode::none);
  CHECK(other.handshake == HandshakeMode::full);
  CHECK(other.tls_max == TlsVersion::tls1_3);
  CHECK(other.ciphers == "B");
}

TEST_CASE("a pair that cannot be is refused: no gap with a given start, slices without end, a rate") {
  LoadConfig config = pair_of("http://127.0.0.1:1/", "http://127.0.0.1:2/", 100ms, 1ms);
  config.start_at_ns = 1;
  CHECK(make_target(config));
  config.against->gap.reset();
  CHECK(make_target(config).error().what == "a pair that starts at a given instant needs its gap: finding it out would take time");
  config.start_at_ns.reset();
  config.duration = 24h;
  config.against->slice = 1ms;
  CHECK(make_target(config).error().what == "more slices than 1000000");
  config.duration = 1s;
  CHECK(make_target(config));
  config.rate = 5;
  CHECK(make_target(config).error().what == "a pair is loaded in slices by a closed loop, for a time");
}
