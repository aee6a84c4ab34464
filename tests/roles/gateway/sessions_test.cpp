#include "roles/gateway/sessions.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

using namespace lab::gateway;

namespace {

const PrincipalPtr kAlice = make_principal({Login::Outcome::granted, "alice", {}, {}});

}  // namespace

TEST_CASE("a session is found by its id, on its own transport") {
  Sessions sessions({4096, 1000, 100});
  const std::string id = sessions.create(kAlice, Transport::https, 0);
  CHECK(id.size() == 43);
  CHECK(sessions.find(id, Transport::https, 1) == kAlice);
  CHECK(sessions.find(id, Transport::http, 1) == nullptr);
  CHECK(sessions.find("unknown", Transport::https, 1) == nullptr);
  sessions.remove(id);
  CHECK(sessions.find(id, Transport::https, 1) == nullptr);
  CHECK(sessions.size() == 0);
}

TEST_CASE("a session ends when it was not used for the idle time, and at the end of its life") {
  Sessions sessions({4096, 1000, 100});
  const std::string idle = sessions.create(kAlice, Transport::http, 0);
  CHECK(sessions.find(idle, Transport::http, 100) == kAlice);
  CHECK(sessions.find(idle, Transport::http, 201) == nullptr);
  const std::string used = sessions.create(kAlice, Transport::http, 0);
  for (int now = 90; now <= 1000; now += 90) {
    CHECK(sessions.find(used, Transport::http, now) == kAlice);
  }
  CHECK(sessions.find(used, Transport::http, 1001) == nullptr);
  CHECK(sessions.size() == 0);
}

TEST_CASE("a full table gives up the session used longest ago") {
  Sessions sessions({2, 1000, 1000});
  const std::string first = sessions.create(kAlice, Transport::http, 1);
  const std::string second = sessions.create(kAlice, Transport::http, 2);
  CHECK(sessions.find(first, Transport::http, 3) == kAlice);
  const std::string third = sessions.create(kAlice, Transport::http, 4);
  CHECK(sessions.size() == 2);
  CHECK(sessions.find(first, Transport::http, 5) == kAlice);
  CHECK(sessions.find(second, Transport::http, 5) == nullptr);
  CHECK(sessions.find(third, Transport::http, 5) == kAlice);
}

TEST_CASE("session ids do not repeat, whatever thread makes them") {
  Sessions sessions({100'000, 1000, 1000});
  std::set<std::string> ids[4];
  std::vector<std::thread> threads;
  for (auto& mine : ids) {
    threads.emplace_back([&sessions, &mine] {
      for (int i = 0; i < 500; ++i) {
        mine.insert(sessions.create(kAlice, Transport::http, i));
      }
    });
  }
  std::set<std::string> all;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    all.insert(ids[i].begin(), ids[i].end());
  }
  CHECK(all.size() == 2000);
  CHECK(sessions.size() == 2000);
}

TEST_CASE("session cookies are read and written") {
  CHECK(session_id_in("a=b; PD-H-SESSION-ID=x1; c", Transport::http) == "x1");
  CHECK(session_id_in("PD-H-SESSION-ID=x1", Transport::https).empty());
  CHECK(session_id_in("XPD-H-SESSION-ID=x1", Transport::http).empty());
  CHECK(set_cookie_line(Transport::https, "x") == "Set-Cookie: PD-S-SESSION-ID=x; Path=/; HttpOnly; Secure\r\n");
  CHECK(set_cookie_line(Transport::http, "x") == "Set-Cookie: PD-H-SESSION-ID=x; Path=/; HttpOnly\r\n");
  CHECK(without_session_cookies("a=b") == "a=b");
}
