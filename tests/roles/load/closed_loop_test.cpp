#include "driving.hpp"
#include "http/page_pattern.hpp"
#include "scripted_server.hpp"

#include <condition_variable>

using namespace lab;
using namespace lab::load;
using namespace std::chrono_literals;

namespace {

std::string page(std::size_t size) {
  std::string body(size, '\0');
  http::fill_page(body, 0);
  return body;
}

}  // namespace

TEST_CASE("each client has one connection and sends the next request only after the response") {
  std::atomic<int> under_way{0}, most{0};
  ScriptedServer server([&](Session& session) {
    while (!session.request().empty()) {
      const int now = ++under_way;
      int seen = most;
      while (seen < now && !most.compare_exchange_weak(seen, now)) {
      }
      --under_way;
      session.answer(200, "hello");
    }
  });
  for (const int threads : {1, 3}) {
    LoadConfig config = requests_of(server.url(), 400, 5);
    config.threads = threads;
    const int before = server.connections();
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(server.connections() - before == 5);
    CHECK(most <= 5);
    CHECK(outcome.tally.clients_connected == 5);
    CHECK(all_pages(outcome.tally).started == 400);
    CHECK(all_pages(outcome.tally).done == 400);
    CHECK(outcome.tally.in(Window::measure).bytes == 2000);
    CHECK(outcome.tally.in(Window::measure).reconnects == 0);
    CHECK(verdict(outcome));
  }
}

TEST_CASE("the request names the host with its port, and carries the headers given") {
  std::mutex mutex;
  std::string seen;
  ScriptedServer server([&](Session& session) {
    {
      const std::lock_guard lock(mutex);
      seen = session.request();
    }
    session.answer(200, "");
    session.request();
  });
  LoadConfig config = requests_of(server.url("/a/b?c=d"), 1);
  config.headers = {"X-Lab: 1"};
  const Outcome outcome = drive(config);
  CHECK(all_pages(outcome.tally).done == 1);
  const std::lock_guard lock(mutex);
  CHECK(seen == "GET /a/b?c=d HTTP/1.1\r\nHost: " + server.url("").substr(7) + "\r\nX-Lab: 1\r\n\r\n");
}

TEST_CASE("warm-up, measurement and drain are counted apart and add up to what the server saw") {
  std::atomic<std::uint64_t> served{0};
  ScriptedServer server([&](Session& session) {
    while (!session.request().empty()) {
      ++served;
      session.answer(200, "x");
    }
  });
  LoadConfig config;
  config.url = server.url();
  config.clients = 4;
  config.warmup = 50ms;
  config.duration = 100ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  const PageCounts warmup = pages_in(outcome.tally, Window::warmup);
  const PageCounts measure = pages_in(outcome.tally, Window::measure);
  const PageCounts drain = pages_in(outcome.tally, Window::drain);
  CHECK(measure.started == warmup.in_flight + outcome.tally.in(Window::measure).begun);
  CHECK(measure.in_flight <= 4);
  CHECK(drain.started == measure.in_flight);
  CHECK(all_pages(outcome.tally).done == served);
  CHECK(outcome.measure_ns - outcome.start_ns == 50'000'000);
  CHECK(outcome.end_ns - outcome.measure_ns == 100'000'000);
  CHECK(rate(outcome) == Approx(static_cast<double>(measure.done) / 0.1));
}

TEST_CASE("it starts at the instant given") {
  std::atomic<std::int64_t> first{0};
  ScriptedServer server([&](Session& session) {
    session.request();
    first = std::chrono::steady_clock::now().time_since_epoch().count();
    session.answer(200, "");
    session.answer_all(200, "");
  });
  LoadConfig config = requests_of(server.url(), 1);
  config.start_at_ns = (std::chrono::steady_clock::now() + 60ms).time_since_epoch().count();
  const Outcome outcome = drive(config);
  CHECK(outcome.start_ns >= *config.start_at_ns);
  CHECK(first >= *config.start_at_ns);
}

TEST_CASE("a request under way at the end is drained and not counted in the measurement") {
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0;
  bool ended = false;
  ScriptedServer server([&](Session& session) {
    session.request();
    std::unique_lock lock(mutex);
    const bool first = asked++ == 0;
    changed.notify_all();
    if (first) {  // answered once the other client has been sent home
      changed.wait(lock, [&] { return ended; });
      session.answer(200, "late");
      return;
    }
    session.answer(200, "in time");
    session.request();
    ended = true;
    changed.notify_all();
  });
  LoadConfig config;
  config.url = server.url();
  config.clients = 2;
  config.think = 1min;
  config.duration = 1min;
  auto load = Load::prepare(config);
  REQUIRE(load);
  (*load)->begin();
  while ((*load)->live().done < 1) {
    poll(nullptr, 0, 1);
  }
  (*load)->stop();
  const Outcome outcome = finish(**load);
  check_adds_up(outcome);
  CHECK(pages_in(outcome.tally, Window::measure).done == 1);
  CHECK(pages_in(outcome.tally, Window::measure).in_flight == 1);
  CHECK(pages_in(outcome.tally, Window::drain).done == 1);
  CHECK(outcome.tally.cut_off == 0);
  CHECK(outcome.tally.finished_ns - outcome.end_ns < 60'000'000'000);
}

TEST_CASE("a request that outlives the drain is cut off, and its count and age are reported") {
  ScriptedServer server([&](Session& session) {
    session.request();
    session.request();  // until the client gives up
  });
  LoadConfig config;
  config.url = server.url();
  config.clients = 2;
  config.duration = 50ms;
  config.timeout = 30s;
  auto load = Load::prepare(config);
  REQUIRE(load);
  (*load)->begin();
  while ((*load)->live().started < 2) {
    poll(nullptr, 0, 1);
  }
  (*load)->cut_off();
  const Outcome outcome = finish(**load);
  check_adds_up(outcome);
  CHECK(outcome.tally.cut_off == 2);
  CHECK(all_pages(outcome.tally).in_flight == 2);
  CHECK(outcome.tally.oldest_cut_off_ns > 0);
  CHECK(verdict(outcome).error().what == "no request succeeded");
}

TEST_CASE("the measurement ends on time against a server that never answers") {
  ScriptedServer server([&](Session& session) {
    session.request();
    session.request();
  });
  LoadConfig config;
  config.url = server.url();
  config.duration = 50ms;
  config.timeout = 200ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(outcome.tally.finished_ns - outcome.end_ns >= 0);
  CHECK(outcome.tally.finished_ns - outcome.end_ns < 5'000'000'000);
  CHECK(all_pages(outcome.tally).done == 0);
}

TEST_CASE("thinking comes between a response and the next request") {
  ScriptedServer server([](Session& session) { session.answer_all(200, ""); });
  LoadConfig config = requests_of(server.url(), 4);
  config.think = 20ms;
  const Outcome outcome = drive(config);
  CHECK(all_pages(outcome.tally).done == 4);
  CHECK(outcome.end_ns - outcome.start_ns >= 60'000'000);  // three pauses
}

TEST_CASE("a reply that ends when the connection closes is a complete reply") {
  const std::string body = page(5939);
  ScriptedServer server([&](Session& session) {
    session.request();
    session.send("HTTP/1.1 200 OK\r\n\r\n" + body);
  });
  LoadConfig config = requests_of(server.url("/page/5.8KB"), 20, 2);
  config.expect_pages = true;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 20);
  CHECK(all_pages(outcome.tally).failed == 0);
}

TEST_CASE("a server that closes after some requests is connected to again, and that is counted") {
  ScriptedServer server([](Session& session) {
    for (int i = 0; i < 3; ++i) {
      session.request();
      session.answer(200, "", i == 2 ? "Connection: close\r\n" : "");
    }
  });
  const Outcome outcome = drive(requests_of(server.url(), 30));
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 30);
  CHECK(server.connections() == 10);
  CHECK(outcome.tally.in(Window::measure).reconnects == 9);
  CHECK(outcome.tally.in(Window::measure).retries == 0);
}

TEST_CASE("a kept connection that the server closed unannounced costs a reconnect, no failure") {
  ScriptedServer server([](Session& session) {
    for (int i = 0; i < 2; ++i) {
      session.request();
      session.answer(200, "");
    }
  });
  const Outcome outcome = drive(requests_of(server.url(), 10));
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 10);
  CHECK(all_pages(outcome.tally).failed == 0);
  CHECK(outcome.tally.in(Window::measure).reconnects == 4);
}

TEST_CASE("a request that a server took and dropped with its kept connection is sent again, and that is counted") {
  ScriptedServer server([](Session& session) {
    session.request();
    session.answer(200, "");
    session.request();
  });
  const Outcome outcome = drive(requests_of(server.url(), 3));
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 3);
  CHECK(outcome.tally.in(Window::measure).retries == 2);
}

TEST_CASE("with close, each request has a connection of its own and asks for its end") {
  std::atomic<int> asked{0};
  ScriptedServer server([&](Session& session) {
    asked += session.request().find("\r\nConnection: close\r\n") != std::string::npos ? 1 : 0;
    session.answer(200, "", "Connection: close\r\n");
  });
  LoadConfig config = requests_of(server.url(), 12, 3);
  config.close = true;
  const Outcome outcome = drive(config);
  CHECK(all_pages(outcome.tally).done == 12);
  CHECK(server.connections() == 12);
  CHECK(asked == 12);
  CHECK(outcome.tally.in(Window::measure).reconnects == 0);
  CHECK(outcome.tally.connect.count() == 12);
}

TEST_CASE("chunked replies, interim replies and replies in pieces are read") {
  ScriptedServer server([](Session& session) {
    while (!session.request().empty()) {
      const std::string reply =
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n1;a=b\r\n!\r\n0\r\nT: t\r\n\r\n";
      for (const char c : reply) {
        session.send({&c, 1});
      }
    }
  });
  LoadConfig config = requests_of(server.url(), 5);
  config.expect_bytes = 5;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 5);
}

TEST_CASE("live counts are there while it runs") {
  ScriptedServer server([](Session& session) { session.answer_all(200, ""); });
  LoadConfig config;
  config.url = server.url();
  config.duration = 1min;
  auto load = Load::prepare(config);
  REQUIRE(load);
  (*load)->begin();
  while ((*load)->live().done < 10) {
    poll(nullptr, 0, 1);
  }
  (*load)->stop();
  const Outcome outcome = finish(**load);
  const LiveCounts live = (*load)->live();
  CHECK(live.done == all_pages(outcome.tally).done);
  CHECK(live.in_flight == 0);
}
