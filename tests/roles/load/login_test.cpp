#include "driving.hpp"
#include "roles/load/request.hpp"
#include "scripted_server.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace lab;
using namespace lab::load;

namespace {

std::string header(const std::string& head, const std::string& name) {
  const auto at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) {
    return {};
  }
  const auto begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

// A gateway in miniature: 401 without credentials, a session cookie with a good password, the page with either.
// A session is good for so many pages.
class MiniGateway {
 public:
  explicit MiniGateway(int pages_a_session = 1'000'000) : pages_a_session_(pages_a_session) {}

  void serve(Session& session) {
    for (std::string head = session.request(); !head.empty(); head = session.request()) {
      answer(session, head);
    }
  }

  std::vector<std::string> logged_in() {  // Authorization values that were let in, in order
    const std::lock_guard lock(mutex_);
    return logged_in_;
  }
  std::atomic<int> asked{0}, by_cookie{0}, both{0};

 private:
  void answer(Session& session, const std::string& head) {
    const std::string authorization = header(head, "Authorization");
    const std::string cookies = header(head, "Cookie");
    const std::string cookie = cookies.substr(std::min(cookies.find("PD-S"), cookies.size()));  // it is the last
    const std::string closing = header(head, "Connection") == "close" ? "Connection: close\r\n" : "";
    both += !authorization.empty() && !cookie.empty() ? 1 : 0;
    const std::lock_guard lock(mutex_);
    if (!authorization.empty()) {
      logged_in_.push_back(authorization);
      const std::string fresh = "PD-S-SESSION-ID=" + std::to_string(logged_in_.size());
      left_[fresh] = pages_a_session_ - 1;
      return session.answer(200, "page", "Set-Cookie: other=1\r\nSet-Cookie: " + fresh + "; Path=/; HttpOnly\r\n" + closing);
    }
    if (const auto found = left_.find(cookie); found != left_.end() && found->second-- > 0) {
      ++by_cookie;
      return session.answer(200, "page", closing);
    }
    ++asked;
    session.answer(401, "who are you?", "WWW-Authenticate: Basic realm=\"lab\"\r\n" + closing);
  }

  const int pages_a_session_;
  std::mutex mutex_;
  std::vector<std::string> logged_in_;
  std::map<std::string, int> left_;
};

std::vector<std::string> authorizations(unsigned first, unsigned count) {
  std::vector<std::string> all;
  for (unsigned i = first; i < first + count; ++i) {
    char number[16];
    std::snprintf(number, sizeof number, "%06u", i);
    all.push_back(basic_authorization({std::string("user") + number, std::string("secret") + number}));
  }
  return all;
}

}  // namespace

TEST_CASE("login once: a 401 counted apart, then the password, then the session's cookie alone") {
  MiniGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = requests_of(server.url(), 30, 3);
  config.login = LoginMode::once;
  config.users = {{"a", "x"}, {"b", "y"}};
  config.expect_bytes = 4;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 30);
  CHECK(outcome.tally.in(Window::measure).logins == 3);
  CHECK(outcome.tally.in(Window::measure).responses == 33);
  CHECK(gateway.asked == 3);
  CHECK(gateway.by_cookie == 27);
  CHECK(gateway.both == 0);
  auto users = gateway.logged_in();
  std::sort(users.begin(), users.end());
  CHECK(users == std::vector<std::string>{"Basic YTp4", "Basic YTp4", "Basic Yjp5"});
}

TEST_CASE("a session that ends is logged in again, and that is counted") {
  MiniGateway gateway(5);
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = requests_of(server.url(), 20);
  config.login = LoginMode::once;
  config.generated_users = 10;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 20);
  CHECK(outcome.tally.in(Window::measure).logins == 4);
  CHECK(gateway.logged_in() == std::vector<std::string>(4, authorizations(1, 1)[0]));
}

TEST_CASE("login with every page: no cookie, the next user each time, no user of another client") {
  for (const HandshakeMode handshake : {HandshakeMode::once, HandshakeMode::full}) {
    MiniGateway gateway;
    ScriptedServer server([&](Session& session) { gateway.serve(session); });
    LoadConfig config = requests_of(server.url(), 12, 3);
    config.threads = 3;  // so that each client has four of the twelve
    config.login = LoginMode::every;
    config.handshake = handshake;
    config.generated_users = 12;
    config.first_user = 101;
    const Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(all_pages(outcome.tally).done == 12);
    CHECK(outcome.tally.in(Window::measure).logins == 12);
    CHECK(outcome.tally.in(Window::measure).responses == 24);
    CHECK(gateway.by_cookie == 0);
    CHECK(gateway.both == 0);
    CHECK(server.connections() == (handshake == HandshakeMode::once ? 3 : 12));
    auto users = gateway.logged_in();
    std::sort(users.begin(), users.end());
    auto expected = authorizations(101, 12);
    std::sort(expected.begin(), expected.end());
    CHECK(users == expected);
  }
}

TEST_CASE("a password that is refused is a failed request, and is not tried without a pause") {
  ScriptedServer server([](Session& session) { session.answer_all(401, "no"); });
  LoadConfig config = requests_of(server.url(), 3);
  config.login = LoginMode::once;
  config.users = {{"a", "wrong"}};
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::status) == 3);
  CHECK(outcome.tally.in(Window::measure).logins == 3);
  CHECK(verdict(outcome).error().what == "no request succeeded: status: 401 Unauthorized in spite of a password");
}

TEST_CASE("a 401 without a login to make is a failure like another") {
  ScriptedServer server([](Session& session) { session.answer_all(401, "no"); });
  const Outcome outcome = drive(requests_of(server.url(), 3));
  CHECK(errors_of(outcome, ErrorClass::status) == 3);
  CHECK(outcome.tally.in(Window::measure).logins == 0);
}

TEST_CASE("users are shared out without overlap, whatever the numbers") {
  for (const int clients : {1, 3, 7}) {
    for (const unsigned users : {7U, 20U, 100U}) {
      LoadConfig config;
      config.clients = clients;
      config.generated_users = users;
      const Users shared(config);
      std::map<std::string, std::set<int>> seen;
      for (int client = 0; client < clients; ++client) {
        for (std::uint64_t turn = 0; turn < 2 * users; ++turn) {
          seen[shared.next(static_cast<std::size_t>(client), turn).user].insert(client);
        }
      }
      CHECK(seen.size() == users);
      CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& user) { return user.second.size() == 1; }));
    }
  }
}

TEST_CASE("preemptive: the password goes out before it is asked for, and not again once there is a session") {
  MiniGateway gateway;
  ScriptedServer server([&](Session& session) { gateway.serve(session); });
  LoadConfig config = requests_of(server.url(), 10, 2);
  config.threads = 2;
  config.login = LoginMode::once;
  config.preemptive = true;
  config.users = {{"a", "x"}, {"b", "y"}};
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(all_pages(outcome.tally).done == 10);
  CHECK(outcome.tally.in(Window::measure).responses == 10);
  CHECK(outcome.tally.in(Window::measure).logins == 0);
  CHECK(gateway.asked == 0);
  CHECK(gateway.by_cookie == 8);
}
