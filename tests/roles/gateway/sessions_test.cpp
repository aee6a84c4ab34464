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
  CHECK(sessions.find(id, Transport::https, 1).principal == kAlice);
  CHECK(sessions.find(id, Transport::http, 1).principal == nullptr);
  CHECK(sessions.find("unknown", Transport::https, 1).principal == nullptr);
  sessions.remove(id);
  CHECK(sessions.find(id, Transport::https, 1).principal == nullptr);
  CHECK(sessions.size() == 0);
}

TEST_CASE("a session ends when it was not used for the idle time, and at the end of its life") {
  Sessions sessions({4096, 1000, 100});
  const std::string idle = sessions.create(kAlice, Transport::http, 0);
  CHECK(sessions.find(idle, Transport::http, 100).principal == kAlice);
  CHECK(sessions.find(idle, Transport::http, 201).principal == nullptr);
  const std::string used = sessions.create(kAlice, Transport::http, 0);
  for (int now = 90; now <= 1000; now += 90) {
    CHECK(sessions.find(used, Transport::http, now).principal == kAlice);
  }
  CHECK(sessions.find(used, Transport::http, 1001).principal == nullptr);
  CHECK(sessions.size() == 0);
}

TEST_CASE("a full table gives up the session used longest ago") {
  Sessions sessions({2, 1000, 1000});
  const std::string first = sessions.create(kAlice, Transport::http, 1);
  const std::string second = sessions.create(kAlice, Transport::http, 2);
  CHECK(sessions.find(first, Transport::http, 3).principal == kAlice);
  const std::string third = sessions.create(kAlice, Transport::http, 4);
  CHECK(sessions.size() == 2);
  CHECK(sessions.find(first, Transport::http, 5).principal == kAlice);
  CHECK(sessions.find(second, Transport::http, 5).principal == nullptr);
  CHECK(sessions.find(third, Transport::http, 5).principal == kAlice);
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
  std::string seen;
  each_cookie("a=b;PD-H-SESSION-ID = x1 ; c", [&seen](std::string_view name, std::string_view value, std::string_view) {
    seen.append(name).append("=").append(value).append("|");
    return true;
  });
  CHECK(seen == "a=b|PD-H-SESSION-ID=x1|c=|");
  CHECK(set_session_line(Transport::https, "x") == "Set-Cookie: PD-S-SESSION-ID=x; Path=/; HttpOnly; Secure\r\n");
  CHECK(set_session_line(Transport::http, "x") == "Set-Cookie: PD-H-SESSION-ID=x; Path=/; HttpOnly\r\n");
  CHECK(end_session_line(Transport::http) == "Set-Cookie: PD-H-SESSION-ID=; Path=/; HttpOnly; Max-Age=0\r\n");
  CHECK(without_own_cookies("a=b", false) == "a=b");
}

TEST_CASE("a request kept over a login comes with its session, once") {
  Sessions sessions({4096, 1000, 100});
  const auto kept = std::make_shared<const KeptRequest>(KeptRequest{"/x", "POST /x HTTP/1.1\r\n", "body"});
  const std::string id = sessions.create(kAlice, Transport::http, 0, kept);
  CHECK(sessions.find(id, Transport::http, 1).kept == kept);
  CHECK(sessions.take_kept(id) == kept);
  CHECK(sessions.take_kept(id) == nullptr);
  CHECK(sessions.find(id, Transport::http, 1).kept == nullptr);
}

TEST_CASE("kept requests are few and do not stay for ever") {
  KeptRequests kept(2, 100);
  const std::string first = kept.put({"/1", {}, {}}, 0), second = kept.put({"/2", {}, {}}, 1), third = kept.put({"/3", {}, {}}, 2);
  CHECK(kept.size() == 2);
  CHECK(kept.find(first, 3) == nullptr);
  REQUIRE(kept.find(second, 3) != nullptr);
  CHECK(kept.find(second, 3)->location == "/2");
  CHECK(kept.find(third, 103) == nullptr);
  kept.remove(second);
  CHECK(kept.find(second, 3) == nullptr);
}
