// The client of the REST interface, against the stand-in over real sockets.
#include "providers/zvm/feilong.hpp"

#include "providers/zvm/answer.hpp"
#include "providers/zvm/place.hpp"
#include "server.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::providers;
using namespace lab::providers::zvm;
using namespace std::chrono_literals;

namespace {

Deadline soon() { return Clock::now() + 20s; }

struct Client {
  explicit Client(const standin::Server& server, const std::string& token = "secret")
      : feilong(make_http(*parse_url(server.url()), ""), server.url(), token, [this](auto length, Deadline) {
          pauses.push_back(length);
          return pauses.size() < 6;
        }) {}
  std::vector<std::chrono::nanoseconds> pauses;
  Feilong feilong;
};

}  // namespace

TEST_CASE("a token is fetched once, and renewed once when it is no longer taken") {
  standin::Server server({0, "secret"});
  Client client(server);
  REQUIRE(client.feilong.answer_to(ask_version(), soon()));
  REQUIRE(client.feilong.answer_to(ask_guests(), soon()));
  CHECK(server.tokens_given() == 1);
  server.misbehave({standin::Fault::expired, "GET /guests"});
  const auto answer = client.feilong.answer_to(ask_guests(), soon());
  REQUIRE(answer);
  CHECK(answer->ok());
  CHECK(server.tokens_given() == 2);
}

TEST_CASE("a token that is refused again after it was renewed is an error, not a loop") {
  standin::Server server({0, "secret"});
  Client client(server);
  server.misbehave({standin::Fault::expired, "GET /guests", 10});
  const auto answer = client.feilong.answer_to(ask_guests(), soon());
  REQUIRE(!answer);
  CHECK(answer.error().where == "GET /guests (HTTP 401, overallRC 400, rc 400, rs 401)");
  CHECK(server.tokens_given() == 2);
}

TEST_CASE("a wrong admin token is said to be one, without being shown") {
  standin::Server server({0, "secret"});
  Client client(server, "guessed");
  const auto answer = client.feilong.answer_to(ask_version(), soon());
  REQUIRE(!answer);
  CHECK(to_string(answer.error()) == "Feilong gives no token: The admin token is not valid\n  at " + server.url() +
                                         ", POST /token\n  compare the admin token with that of Feilong's host: zvmsdk-gentoken writes it "
                                         "to /etc/zvmsdk/token.dat");
}

TEST_CASE("without a token none is sent, which a server without authentication takes, and another one names") {
  standin::Server open({0, ""}), closed({0, "secret"});
  Client first(open, ""), second(closed, "");
  CHECK(first.feilong.answer_to(ask_version(), soon()));
  const auto answer = second.feilong.answer_to(ask_version(), soon());
  REQUIRE(!answer);
  CHECK(answer.error().remedy == "give the admin token of its /etc/zvmsdk: `token-file` under `feilong`, or LAB_FEILONG_TOKEN");
}

TEST_CASE("busy is waited out with growing pauses, until patience ends") {
  standin::Server server({0, ""});
  Client client(server, "");
  server.misbehave({standin::Fault::busy, "GET /guests", 2});
  const auto answer = client.feilong.answer_to(ask_guests(), soon());
  REQUIRE(answer);
  CHECK(answer->ok());
  CHECK(client.pauses == std::vector<std::chrono::nanoseconds>{1s, 2s});
  server.misbehave({standin::Fault::busy, "GET /guests", 100});
  const auto given_up = client.feilong.answer_to(ask_guests(), soon());
  REQUIRE(given_up);
  CHECK(given_up->overall_rc == 503);
}

TEST_CASE("reading is tried again after a cut connection, changing is not, and it is said that nobody knows") {
  standin::Server server({0, ""});
  Client client(server, "");
  server.misbehave({standin::Fault::cut_first, "GET /guests", 1});
  CHECK(client.feilong.answer_to(ask_guests(), soon()));
  server.misbehave({standin::Fault::cut_after, "DELETE /guests/LINUX1", 1});
  const auto unknown = client.feilong.ask(zvm::remove("LINUX1"), soon());
  REQUIRE(unknown);
  CHECK_FALSE(*unknown);
}

TEST_CASE("a server that does not answer costs no more than the deadline") {
  standin::Server server({0, ""});
  Client client(server, "");
  server.misbehave({standin::Fault::stall, "", 2});
  const auto begun = Clock::now();
  const auto answer = client.feilong.answer_to(ask_guests(), begun + 200ms);
  CHECK_FALSE(answer);
  CHECK(Clock::now() - begun < 5s);
}

TEST_CASE("nobody at the address is an error that names it") {
  std::string url;
  {
    const standin::Server gone({0, ""});
    url = gone.url();
  }
  Feilong feilong(make_http(*parse_url(url), ""), url, "", real_pause());
  const auto answer = feilong.answer_to(ask_version(), soon());
  REQUIRE(!answer);
  CHECK(to_string(answer.error()) == "Feilong cannot be reached: connecting: Connection refused\n  at " + url +
                                         ", GET /\n  look at `url` under `feilong`, and whether its web server runs");
}

TEST_CASE("JSON labelled text/html is read, and a page for people is an error of the HTTP layer") {
  standin::Server server({0, ""});
  Client client(server, "");
  const auto missing = client.feilong.answer_to(ask_entry("NOBODY"), soon());
  REQUIRE(missing);
  CHECK(missing->missing());
  CHECK(missing->message == "Guest NOBODY does not exist");
  server.misbehave({standin::Fault::html, "GET /images"});
  const auto unknown = client.feilong.answer_to(ask_images("x"), soon());
  REQUIRE(unknown);
  CHECK(unknown->no_such_call());
  CHECK_FALSE(unknown->missing());
}

TEST_CASE("an answer is judged by its overallRC, whatever HTTP says") {
  CHECK(parse_answer(200, R"({"overallRC": 0, "rc": 0, "rs": 0, "errmsg": "", "output": ["A"]})")->ok());
  CHECK_FALSE(parse_answer(200, R"({"overallRC": 101, "rc": 101, "rs": 2, "errmsg": "down", "output": ""})")->ok());
  CHECK_FALSE(parse_answer(500, R"({"overallRC": 0})")->ok());
  const auto bare = parse_answer(405, "<html>no</html>");
  REQUIRE(bare);
  CHECK(bare->overall_rc == 400);
  CHECK(bare->rs == 405);
  CHECK(bare->no_such_call());
  const auto stranger = parse_answer(200, "<html>\nWelcome to nginx</html>");
  REQUIRE(!stranger);
  CHECK(to_string(stranger.error()) ==
        "what answers is not Feilong\n  at HTTP 200\n<html> Welcome to nginx</html>\n  look at `url` under `feilong`: it is that of its "
        "REST interface");
}
