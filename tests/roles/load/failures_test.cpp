#include "driving.hpp"
#include "http/page_pattern.hpp"
#include "scripted_server.hpp"

using namespace lab;
using namespace lab::load;
using namespace std::chrono_literals;

namespace {

constexpr const char* kSha256OfHello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

std::string page(std::size_t size) {
  std::string body(size, '\0');
  http::fill_page(body, 0);
  return body;
}

// A port on which nobody listens.
std::string deserted() {
  const net::Fd fd = net::listen_tcp(net::Address::parse("127.0.0.1:0").value(), false).value();
  return "http://" + net::Address::local_of(fd.get()).text() + "/";
}

const std::string& first_error(const Outcome& outcome, ErrorClass error) {
  return outcome.tally.first_error[static_cast<std::size_t>(error)];
}

}  // namespace

TEST_CASE("an absent server: bounded back-off, an end on time, and a verdict that says how many of how many") {
  LoadConfig config;
  config.url = deserted();
  config.clients = 3;
  config.duration = 300ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(outcome.tally.clients_connected == 0);
  const std::uint64_t refused = errors_of(outcome, ErrorClass::connect);
  CHECK(refused == all_pages(outcome.tally).failed);
  CHECK(refused >= 3);
  CHECK(refused <= 3 * 10);  // 1, 2, 4, … 64, 100, 100 ms
  const auto verdict_given = verdict(outcome);
  REQUIRE_FALSE(verdict_given);
  const std::string address = config.url.substr(7, config.url.size() - 8);
  CHECK(verdict_given.error().what ==
        "only 0 of 3 connections could be opened: connect: cannot connect to " + address + ": Connection refused");
}

TEST_CASE("a server that comes up in mid-run is found") {
  const std::string url = deserted();
  LoadConfig config = requests_of(url, 1'000'000, 2);
  auto load = Load::prepare(config);
  REQUIRE(load);
  (*load)->begin();
  while ((*load)->live().failed < 2) {
    poll(nullptr, 0, 1);
  }
  ScriptedServer server([](Session& session) { session.answer_all(200, ""); }, static_cast<std::uint16_t>(std::stoi(url.substr(17))));
  while ((*load)->live().done < 50) {
    poll(nullptr, 0, 1);
  }
  (*load)->stop();
  const Outcome outcome = finish(**load);
  check_adds_up(outcome);
  CHECK(verdict(outcome));
}

TEST_CASE("fewer connections than asked for fail the run even when requests succeed") {
  ScriptedServer server([](Session& session) { session.answer_all(200, ""); });
  Outcome outcome = drive(requests_of(server.url(), 10, 2));
  CHECK(verdict(outcome));
  outcome.tally.clients_connected = 1;
  CHECK(verdict(outcome).error().what == "only 1 of 2 connections could be opened");
}

TEST_CASE("a status that is no success is a failed request on a connection that stays") {
  ScriptedServer server([](Session& session) {
    for (int i = 0; !session.request().empty(); ++i) {
      session.answer(i % 2 == 0 ? 503 : 200, "busy");
    }
  });
  const Outcome outcome = drive(requests_of(server.url(), 10));
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::status) == 5);
  CHECK(all_pages(outcome.tally).done == 5);
  CHECK(outcome.tally.in(Window::measure).responses == 10);
  CHECK(first_error(outcome, ErrorClass::status) == "503 Service Unavailable");
  CHECK(server.connections() == 1);
}

TEST_CASE("a response cut short is a failure of class closed, also before its first byte on a fresh connection") {
  ScriptedServer server([](Session& session) {
    session.request();
    if (session.number() % 2 == 0) {
      session.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    }
  });
  const Outcome outcome = drive(requests_of(server.url(), 4));
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::closed) == 4);
  CHECK(first_error(outcome, ErrorClass::closed) == "closed by the server");
}

TEST_CASE("a reset connection is told in the system's words") {
  ScriptedServer server([](Session& session) {
    session.request();
    session.reset();
  });
  const Outcome outcome = drive(requests_of(server.url(), 2));
  CHECK(errors_of(outcome, ErrorClass::closed) == 2);
  CHECK(first_error(outcome, ErrorClass::closed) == "Connection reset by peer");
}

TEST_CASE("what is no HTTP, or more than was announced, is a failure of class protocol") {
  ScriptedServer server([](Session& session) {
    session.request();
    session.send(session.number() == 0 ? "SSH-2.0-OpenSSH\r\n\r\n"
                                       : "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n");
    session.request();
  });
  const Outcome outcome = drive(requests_of(server.url(), 2));
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::protocol) == 2);
}

TEST_CASE("a request without a response in time fails, and the client goes on with a fresh connection") {
  ScriptedServer server([](Session& session) {
    if (session.number() == 0) {
      session.request();
      session.request();
    } else {
      session.answer_all(200, "");
    }
  });
  LoadConfig config = requests_of(server.url(), 3);
  config.timeout = 300ms;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::timeout) == 1);
  CHECK(first_error(outcome, ErrorClass::timeout) == "no response within 300ms");
  CHECK(all_pages(outcome.tally).done == 2);
}

TEST_CASE("pages are checked for length and pattern, and one of a client's first for SHA-256") {
  const std::string good = page(200'000);
  std::string damaged = good;
  damaged[150'000] ^= 1;
  ScriptedServer server([&](Session& session) {
    for (int i = 0; !session.request().empty(); ++i) {
      session.answer(200, i == 1 ? damaged : i == 2 ? good.substr(1) : good);
    }
  });
  LoadConfig config = requests_of(server.url("/jct/page/200000?x"), 5);
  config.expect_pages = true;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::body) == 2);
  CHECK(all_pages(outcome.tally).done == 3);
  CHECK(outcome.tally.in(Window::measure).hashed == 1);
  CHECK(first_error(outcome, ErrorClass::body).starts_with("the page's bytes differ at or after byte "));
  CHECK(server.connections() == 1);
}

TEST_CASE("expected bytes and SHA-256 hold for every body") {
  ScriptedServer server([](Session& session) {
    for (int i = 0; !session.request().empty(); ++i) {
      session.answer(200, i < 2 ? "hello" : i == 2 ? "hallo" : "hello!");
    }
  });
  LoadConfig config = requests_of(server.url(), 4);
  config.expect_sha256 = kSha256OfHello;
  Outcome outcome = drive(config);
  CHECK(errors_of(outcome, ErrorClass::body) == 2);
  CHECK(first_error(outcome, ErrorClass::body) == "the body's SHA-256 is another one");
  CHECK(outcome.tally.in(Window::measure).hashed == 2);
  config.expect_sha256.clear();
  config.expect_bytes = 5;
  outcome = drive(config);
  CHECK(errors_of(outcome, ErrorClass::body) == 1);
  CHECK(first_error(outcome, ErrorClass::body) == "a body of 6 bytes instead of 5");
}

TEST_CASE("what cannot be driven is refused before anything is sent") {
  const auto refusal = [](auto change) {
    LoadConfig config;
    config.url = "http://127.0.0.1:9/page/x";
    change(config);
    const auto load = Load::prepare(config);
    return load ? std::string("accepted") : load.error().what;
  };
  CHECK(refusal([](LoadConfig& c) { c.url = "ftp://x/"; }) == "\"ftp://x/\" is no URL to load: neither http:// nor https://");
  CHECK(refusal([](LoadConfig& c) { c.clients = 0; }) == "no clients or no threads");
  CHECK(refusal([](LoadConfig& c) { c.login = LoginMode::once; }) == "a login without users");
  CHECK(refusal([](LoadConfig& c) { c.headers = {"no colon"}; }) == "\"no colon\" is no header");
  CHECK(refusal([](LoadConfig& c) { c.headers = {"A: b\r\nC: d"}; }) == "\"A: b\r\nC: d\" is no header");
  CHECK(refusal([](LoadConfig& c) { c.expect_pages = true; }) == "pages are expected, but /page/x does not end in /page/<size>");
  CHECK(refusal([](LoadConfig& c) { c.expect_sha256 = "12"; }) == "\"12\" is no SHA-256");
}
