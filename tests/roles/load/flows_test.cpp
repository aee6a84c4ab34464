#include "driving.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/request.hpp"
#include "scripted_server.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace lab;
using namespace lab::load;

namespace {

std::string path_of(const std::string& head) {
  const auto begin = head.find(' ') + 1;
  return head.substr(begin, head.find(' ', begin) - begin);
}

// A gateway with a form: POST /in sets a cookie, GET /out takes it back, pages need it.
class FormGateway {
 public:
  void serve(Session& session) {
    for (std::string head = session.request(); !head.empty(); head = session.request()) {
      answer(session, head);
    }
  }
  std::atomic<int> logins{0}, logouts{0}, pages{0}, refused{0};
  std::vector<std::string> forms() {
    const std::lock_guard lock(mutex_);
    return forms_;
  }

 private:
  void answer(Session& session, const std::string& head) {
    if (head.starts_with("POST /in ")) {
      const std::string form = session.body(head);
      const std::lock_guard lock(mutex_);
      forms_.push_back(form);
      if (form.find("password=wrong") != std::string::npos) {
        return session.answer(200, "try again");
      }
      const std::string cookie = "SID=" + std::to_string(++logins);
      open_.insert(cookie);
      return session.answer(302, "", "Location: /\r\nSet-Cookie: " + cookie + "; Path=/\r\n");
    }
    const auto at = head.find("\r\nCookie: ");
    const std::string cookie = at == std::string::npos ? "" : head.substr(at + 10, head.find("\r\n", at + 2) - at - 10);
    const std::lock_guard lock(mutex_);
    if (path_of(head) == "/out") {
      logouts += static_cast<int>(open_.erase(cookie));
      return session.answer(200, "bye");
    }
    const bool known = open_.contains(cookie);
    ++(known ? pages : refused);
    session.answer(known ? 200 : 403, "page");
  }

  std::mutex mutex_;
  std::vector<std::string> forms_;
  std::set<std::string> open_;
};

LoadConfig by_form(const std::string& url, std::uint64_t requests, int clients) {
  LoadConfig config = requests_of(url, requests, clients);
  config.threads = clients;  // so that requests are shared out evenly
  config.method = LoginMethod::forms;
  config.login = LoginMode::once;
  config.login_path = "/in";
  config.logout_path = "/out";
  config.users = {{"a b", "x&y"}, {"c", "z"}};
  return config;
}

}  // namespace

TEST_CASE("forms: each client posts its user's form once, and goes on with its own cookie") {
  FormGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  const Outcome outcome = drive(by_form(server.url(), 20, 2));
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 20);
  CHECK(outcome.tally.in(Window::measure).logins == 2);
  CHECK(outcome.tally.in(Window::measure).responses == 22);
  CHECK(gateway.refused == 0);
  auto forms = gateway.forms();
  std::sort(forms.begin(), forms.end());
  CHECK(forms ==
        std::vector<std::string>{"username=a%20b&password=x%26y&login-form-type=pwd", "username=c&password=z&login-form-type=pwd"});
}

TEST_CASE("forms: logging out after so many pages ends the session, and the next page logs in again") {
  FormGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = by_form(server.url(), 20, 2);
  config.logout_after = 5;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 20);
  CHECK(gateway.logins == 4);
  CHECK(gateway.logouts == 4);
  CHECK(outcome.tally.in(Window::measure).logouts + outcome.tally.in(Window::drain).logouts == 4);
  CHECK(outcome.tally.logouts_failed == 0);
}

TEST_CASE("forms: a login with every page, each time as the next user") {
  FormGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = by_form(server.url(), 6, 1);
  config.login = LoginMode::every;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 6);
  CHECK(gateway.logins == 6);
  CHECK(gateway.forms()[0] != gateway.forms()[1]);
  CHECK(gateway.forms()[0] == gateway.forms()[2]);
}

TEST_CASE("forms: a login that brings no cookie is a failure of that page") {
  FormGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = by_form(server.url(), 3, 1);
  config.users = {{"c", "wrong"}};
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::status) == 3);
  CHECK(outcome.tally.first_error[static_cast<std::size_t>(ErrorClass::status)] == "login of c: 200 OK, no cookie came with it");
  CHECK(gateway.pages == 0);
}

TEST_CASE("steps are drawn by their weights, the same with each run of a seed") {
  const auto shares = [](std::uint64_t seed) {
    std::mutex mutex;
    std::map<std::string, int> seen;
    ScriptedServer server([&](Session& session) {
      for (std::string head = session.request(); !head.empty(); head = session.request()) {
        session.body(head);
        {
          const std::lock_guard lock(mutex);
          ++seen[head.substr(0, head.find(" HTTP"))];
        }
        session.answer(200, head.starts_with("HEAD") ? "" : "x");
      }
    });
    LoadConfig config = requests_of(server.url(), 400);
    config.seed = seed;
    config.steps = {{"/often", 3}, {"/seldom?q=1", 1, "POST", "a=b"}};
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(all_pages(outcome.tally).done == 400);
    return seen;
  };
  const auto seen = shares(7);
  CHECK(seen.size() == 2);
  CHECK(seen.at("GET /often") > 260);  // 300 expected; the seed is fixed
  CHECK(seen.at("GET /often") < 340);
  CHECK(seen.at("GET /often") + seen.at("POST /seldom?q=1") == 400);
  CHECK(shares(7) == seen);
  CHECK(shares(8) != seen);
}

TEST_CASE("a HEAD has no body, whatever its Content-Length says") {
  ScriptedServer server([](Session& session) {
    while (!session.request().empty()) {
      session.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
    }
  });
  LoadConfig config = requests_of(server.url(), 5);
  config.steps = {{"/", 1, "HEAD", ""}};
  config.expect_bytes = 500;
  CHECK(all_pages(drive(config).tally).done == 5);
}

TEST_CASE("a status asked for counts as good, and no other") {
  ScriptedServer server([](Session& session) { session.answer_all(404, "x"); });
  LoadConfig config = requests_of(server.url(), 3);
  config.expect_status = {404};
  CHECK(all_pages(drive(config).tally).done == 3);
  config.expect_status = {200, 302};
  CHECK(errors_of(drive(config), ErrorClass::status) == 3);
}

TEST_CASE("a header asked for is looked for by name and value") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x", "X-Served-By: a\r\nX-Served-By: b\r\n"); });
  LoadConfig config = requests_of(server.url(), 3);
  for (const char* good : {"x-served-by", "X-Served-By: a", "X-SERVED-BY:b"}) {
    config.expect_header = good;
    CHECK(all_pages(drive(config).tally).done == 3);
  }
  for (const char* bad : {"x-served", "X-Served-By: c"}) {
    config.expect_header = bad;
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(errors_of(outcome, ErrorClass::header) == 3);
  }
}

TEST_CASE("a text asked for is found wherever the pieces of a body end") {
  const std::string body = "say hehello to all";
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    Expectation expected;
    expected.text = "hello";
    BodyCheck check;
    check.begin(&expected);
    check.take(std::string_view(body).substr(0, cut));
    check.take(std::string_view(body).substr(cut));
    CHECK(check.complete());
    check.begin(&expected);
    for (const char c : body) {
      check.take({&c, 1});
    }
    CHECK(check.complete());
    check.begin(&expected);
    check.take("say hell");
    check.take("yeah, no");
    CHECK_FALSE(check.complete());
    CHECK(check.why() == "the body does not contain \"hello\"");
  }
}

TEST_CASE("a connection takes so many requests, and asks for its end with the last") {
  std::atomic<int> closing{0};
  ScriptedServer server([&](Session& session) {
    for (std::string head = session.request(); !head.empty(); head = session.request()) {
      closing += head.find("Connection: close") != std::string::npos ? 1 : 0;
      session.answer(200, "x");
    }
  });
  LoadConfig config = requests_of(server.url(), 100, 1);
  config.requests_per_connection = 10;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 100);
  CHECK(server.connections() == 10);
  CHECK(closing == 10);
  CHECK(outcome.tally.in(Window::measure).reconnects == 0);
}

TEST_CASE("clients connect from the addresses given, in turn") {
  ScriptedServer server([](Session& session) { session.answer_all(200, session.peer()); });
  LoadConfig config = requests_of(server.url(), 40, 2);
  config.threads = 2;
  config.sources = {"127.0.0.5", "127.0.0.6"};
  for (const char* expected : {"127.0.0.5", "127.0.0.6"}) {
    config.expect_text = expected;
    CHECK(all_pages(drive(config).tally).done == 20);
  }
}

TEST_CASE("connect, wait and transfer of a page on a fresh connection add up to its time") {
  ScriptedServer server([](Session& session) {
    while (!session.request().empty()) {
      session.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      session.send(std::string(100'000, 'x'));
    }
  });
  LoadConfig config = requests_of(server.url(), 50, 2);
  config.close = true;
  const Tally tally = drive(config).tally;
  CHECK(tally.page.count() == 50);
  CHECK(tally.connect.sum() + tally.wait.sum() + tally.transfer.sum() == tally.page.sum());
  CHECK(tally.wait.sum() + tally.transfer.sum() == tally.service.sum());
}

TEST_CASE("Little's law holds in every run: pages under way, observed, are those that their times make") {
  ScriptedServer server([](Session& session) { session.answer_all(200, "x"); });
  LoadConfig config;
  config.url = server.url();
  config.clients = 5;
  config.threads = 2;
  config.warmup = std::chrono::milliseconds(50);
  config.duration = std::chrono::milliseconds(200);
  const Outcome outcome = drive(config);
  CHECK(outcome.tally.busy_ns == outcome.tally.overlap_ns);
  const Little little = littles_law(outcome);
  CHECK(little.observed <= 5);
  CHECK(little.observed > 0);
  CHECK(little.computed > 0);
}

TEST_CASE("a POST that may have been processed is not sent again, a GET is") {
  for (const bool post : {true, false}) {
    std::atomic<int> seen{0};
    ScriptedServer server([&](Session& session) {
      for (std::string head = session.request(); !head.empty() && ++seen != 2; head = session.request()) {
        session.answer(200, "x");
      }
    });
    LoadConfig config = requests_of(server.url(), 3);
    config.steps = {{"/", 1, post ? "POST" : "GET", ""}};
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(seen == (post ? 3 : 4));
    CHECK(errors_of(outcome, ErrorClass::closed) == (post ? 1 : 0));
    CHECK(outcome.tally.in(Window::measure).retries == (post ? 0 : 1));
  }
}
