#include "driving.hpp"
#include "scripted_server.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include <algorithm>
#include <thread>

using namespace lab;
using namespace lab::load;
using namespace std::chrono_literals;

namespace {

LoadConfig at_rate(const std::string& url, double rate, std::chrono::nanoseconds duration, int clients = 16) {
  LoadConfig config;
  config.url = url;
  config.rate = rate;
  config.duration = duration;
  config.clients = clients;
  return config;
}

// Answers at once, but not while it is stopped: from `begin` for `length` after the first request came.
class StoppingServer {
 public:
  StoppingServer(std::chrono::milliseconds begin, std::chrono::milliseconds length)
      : begin_(begin), length_(length), server_([this](Session& session) { serve(session); }) {}
  std::string url() const { return server_.url(); }

 private:
  using Clock = std::chrono::steady_clock;

  void serve(Session& session) {
    while (!session.request().empty()) {
      std::call_once(once_, [this] { first_ = Clock::now(); });
      const auto now = Clock::now();
      if (now >= first_ + begin_ && now < first_ + begin_ + length_) {
        std::this_thread::sleep_until(first_ + begin_ + length_);  // the server's fault that the test is about
      }
      session.answer(200, "x");
    }
  }

  const std::chrono::milliseconds begin_, length_;
  std::once_flag once_;
  Clock::time_point first_;
  ScriptedServer server_;
};

}  // namespace

TEST_CASE("open loop: as many requests as the rate says, on as few connections as are needed") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x"); });
  for (const double rate : {78.0, 400.0}) {
    LoadConfig config = at_rate(server.url(), rate, 1s, 4);
    config.threads = 2;
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(outcome.tally.scheduled == static_cast<std::uint64_t>(rate));
    CHECK(pages_in(outcome.tally, Window::measure).started + outcome.tally.unstarted == static_cast<std::uint64_t>(rate));
    CHECK(outcome.tally.clients_connected <= 4);
    CHECK(outcome.tally.latency.count() == outcome.tally.service.count());
    CHECK(outcome.tally.lateness.count() == pages_in(outcome.tally, Window::measure).started);
  }
}

TEST_CASE("open loop: a stopped server is felt by all that were due meanwhile, and service time does not show it") {
  StoppingServer server(500ms, 1000ms);
  const Outcome outcome = drive(at_rate(server.url(), 500, 4s, 2));
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).started + outcome.tally.unstarted == 2000);
  // Of 2,000 requests, evenly spaced, the 500 due in the stopped second wait from 1,000 ms down to 0: the 99th percentile of all is
  // that of the 20th longest, 960 ms.
  // A busy host can only add to it: `./dev bench pacing` measures how much.
  CHECK(static_cast<double>(outcome.tally.latency.percentile(99)) / 1e6 > 960 * 0.98);
  CHECK(outcome.tally.service.percentile(99) < outcome.tally.latency.percentile(99));
}

TEST_CASE("open loop: a rate that cannot be kept is flagged, with what did not begin and how long it had been due") {
  ScriptedServer server([](Session& session) {
    session.request();
    session.request();  // no answer to the first: until the client gives up
  });
  LoadConfig config = at_rate(server.url(), 100, 500ms, 1);
  config.timeout = 100ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  const Tally& tally = outcome.tally;
  CHECK(tally.scheduled == 50);
  CHECK(tally.unstarted > 40);
  CHECK(tally.oldest_unstarted_ns > 0);
  const auto flags = flags_of(outcome);
  REQUIRE(std::find(flags.begin(), flags.end(), Flag::rate_missed) != flags.end());
  CHECK(explain(outcome, Flag::rate_missed).find("of 50 requests that were due found no free connection") != std::string::npos);
  CHECK(to_json(outcome).at("rate").at("scheduled") == 50);
}

TEST_CASE("open loop: it ends on time when the server is stopped, and with -n after so many") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x"); });
  LoadConfig config = at_rate(server.url(), 2000, 1min, 3);
  config.requests = 100;
  config.threads = 2;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 100);
  CHECK(outcome.end_ns - outcome.measure_ns < 30'000'000'000);
}

TEST_CASE("open loop: warm-up arrivals are not the measurement's, and first-arrival moves them all") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x"); });
  LoadConfig config = at_rate(server.url(), 100, 500ms, 4);
  config.warmup = 300ms;
  config.first_arrival = 5ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).started + outcome.tally.unstarted == 80);
}

TEST_CASE("open loop: what a thread spins away in place of sleeping is no work of the driver's") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x"); });
  LoadConfig config = at_rate(server.url(), 100, 300ms);
  config.spin = true;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(outcome.tally.in(Window::measure).done > 0);
  CHECK(cpu_share(outcome) < 0.5);  // spinning, the thread had all of it
}
