#include "live/request.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using live::Request;

namespace {

Request get(const std::string& target, const std::string& host = "127.0.0.1:8080") { return {"GET", target, host, {}, {}}; }

live::Feed feed() {
  live::Begin begin;
  begin.lab = "local";
  begin.cells = {"1/cpus=1"};
  return live::Feed(begin);
}

unsigned status(const Request& request) {
  const live::Feed empty = feed();
  return live::reply_to(request, {empty, nullptr, "bench7"}).status;
}

}  // namespace

TEST_CASE("a numeric address, localhost and the host's own name are answered at any port; a name that could be anybody's is not") {
  for (const char* host :
       {"127.0.0.1:8080", "127.0.0.1", "[::1]:8080", "localhost:9", "LOCALHOST", "192.0.2.7:80", "bench7:8080", "Bench7"}) {
    CAPTURE(host);
    CHECK(live::trusted_host(host, "bench7"));
  }
  for (const char* host :
       {"", ":80", "rebound.example:8080", "127.0.0.1.rebound.example", "localhost.rebound.example", "bench70", "127.0.0.1@x"}) {
    CAPTURE(host);
    CHECK_FALSE(live::trusted_host(host, "bench7"));
    CHECK(status(get("/", host)) == 421);
  }
  CHECK_FALSE(live::trusted_host("", ""));
}

TEST_CASE("only GET and HEAD are answered") {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    CAPTURE(method);
    CHECK(status({method, "/", "127.0.0.1", {}, {}}) == 405);
  }
  CHECK(status({"HEAD", "/", "127.0.0.1", {}, {}}) == 200);
}

TEST_CASE("a link from another site leads to the page; its scripts get nothing") {
  CHECK(status({"GET", "/", "127.0.0.1", "cross-site", "navigate"}) == 200);
  CHECK(status({"GET", "/", "127.0.0.1", "cross-site", "cors"}) == 403);
  CHECK(status({"GET", "/events", "127.0.0.1", "cross-site", "cors"}) == 403);
  CHECK(status({"GET", "/state", "127.0.0.1", "same-site", "no-cors"}) == 403);
  CHECK(status({"GET", "/events", "127.0.0.1", "same-origin", "cors"}) == 200);
  CHECK(status({"GET", "/", "127.0.0.1", "none", "navigate"}) == 200);
}

TEST_CASE("the page, its parts, the state and the events have their types; anything else is not there") {
  const live::Feed empty = feed();
  const auto reply = [&](const std::string& target) { return live::reply_to(get(target), {empty, nullptr, {}}); };
  CHECK(reply("/").content_type == "text/html; charset=utf-8");
  CHECK(reply("/").body->starts_with("<!doctype html>"));
  CHECK(reply("/?from=mail").status == 200);
  CHECK(reply("/live.js").content_type == "text/javascript; charset=utf-8");
  CHECK(reply("/live.css").body->find("--accent:") != std::string::npos);
  CHECK(boost::json::parse(*reply("/state").body).at("lab").as_string() == "local");
  CHECK(reply("/events").events);
  CHECK(reply("/events").body->starts_with("event: state\ndata: {\"lab\":\"local\""));
  for (const char* target : {"/live", "/../etc/passwd", "", "*", "http://127.0.0.1/"}) {
    CAPTURE(target);
    CHECK(reply(target).status == 404);
  }
}

TEST_CASE("once there is a report it is the page") {
  const live::Feed empty = feed();
  const auto report = std::make_shared<const std::string>("<!doctype html><title>report</title>");
  const auto reply = live::reply_to(get("/"), {empty, report, {}});
  CHECK(*reply.body == *report);
  CHECK(reply.policy.find("default-src 'none'") == 0);
}

TEST_CASE("the head of a reply forbids what a page of a run never needs") {
  const live::Feed empty = feed();
  CHECK(live::head_of(live::reply_to({"POST", "/", "127.0.0.1", {}, {}}, {empty, nullptr, {}})) ==
        "HTTP/1.1 405 Method Not Allowed\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 42\r\n"
        "Allow: GET, HEAD\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n");
  CHECK(live::head_of(live::reply_to(get("/events"), {empty, nullptr, {}})).find("Content-Length") == std::string::npos);
}
