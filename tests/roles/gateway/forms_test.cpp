// Login by form, with the request that wanted it made again afterwards; logout; sessions' cookies.
#include "gateway_fixture.hpp"
#include "roles/gateway/login_form.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

struct Formed {
  explicit Formed(GatewayConfig config = {}) : server(answering(raw, kOk)), gateway(complete(std::move(config))) {}

  GatewayConfig complete(GatewayConfig config) {
    Junction junction = tcp_junction("/", {server.port()});
    junction.identity.user = true;
    config.junctions.push_back(junction);
    config.forms = BasicAuthentication::http;
    return with_directory(std::move(config));
  }
  std::string last() const { return server.requests().back(); }
  std::string log_in(const std::string& cookie, const std::string& body) const {
    return gateway.ask("POST /pkmslogin.form HTTP/1.1", "Cookie: " + cookie + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
                       body);
  }

  ScriptedServer* raw = &server;
  ScriptedServer server;
  TestGateway gateway;
};

constexpr const char* kAlice = "username=alice&password=secret&login-form-type=pwd";

std::string session_of(const std::string& response) {
  const std::string cookie = header_of(response, "Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

bool is_form(const std::string& response) {
  return status_of(response) == "200" && body_of(response).find("action=\"/pkmslogin.form\"") != std::string::npos;
}

}  // namespace

TEST_CASE("a denied anonymous request gets the form, a login sends it back to where it was") {
  const Formed site;
  const std::string form = site.gateway.ask("GET /x/%7Ey?q=1 HTTP/1.1");
  CHECK(is_form(form));
  CHECK(header_of(form, "Cache-Control") == "no-store");
  CHECK(site.server.requests().empty());
  const std::string before = session_of(form);
  REQUIRE(before.starts_with("PD-H-SESSION-ID="));
  const std::string granted = site.log_in(before, kAlice);
  CHECK(status_of(granted) == "302");
  CHECK(header_of(granted, "Location") == "/x/~y?q=1");
  const std::string session = session_of(granted);
  CHECK(session.starts_with("PD-H-SESSION-ID="));
  CHECK(session != before);
  CHECK(status_of(site.gateway.ask("GET /x/~y?q=1 HTTP/1.1", "Cookie: " + session + "\r\n")) == "200");
  CHECK(header_of(site.last(), "iv-user") == "alice");
  CHECK(is_form(site.gateway.ask("GET /x HTTP/1.1", "Cookie: " + before + "\r\n")));
}

TEST_CASE("what a browser fetches for itself meanwhile, as the icon of the form, is not where a login leads") {
  const Formed site;
  const std::string before = session_of(site.gateway.ask("GET /page HTTP/1.1", "Sec-Fetch-Mode: navigate\r\n"));
  const std::string icon = site.gateway.ask("GET /favicon.ico HTTP/1.1", "Sec-Fetch-Mode: no-cors\r\nCookie: " + before + "\r\n");
  CHECK(is_form(icon));
  CHECK(header_of(icon, "Set-Cookie").empty());
  CHECK(header_of(site.log_in(before, kAlice), "Location") == "/page");
}

TEST_CASE("the request that wanted the login is made again, method, headers and body") {
  const Formed site;
  const std::string form = site.gateway.ask(
      "POST /save HTTP/1.1", "Content-Length: 7\r\nContent-Type: text/x\r\nX-Own: 1\r\nConnection: x-hop\r\nX-Hop: 1\r\n", "a=1&b=2");
  CHECK(is_form(form));
  const std::string granted = site.log_in(session_of(form), kAlice);
  CHECK(header_of(granted, "Location") == "/save");
  const std::string cookie = "Cookie: " + session_of(granted) + "\r\n";
  CHECK(body_of(site.gateway.ask("GET /save HTTP/1.1", cookie)) == "ok");
  REQUIRE(site.server.requests().size() == 1);
  CHECK(site.last().starts_with("POST /save HTTP/1.1\r\n"));
  CHECK(body_of(site.last()) == "a=1&b=2");
  CHECK(header_of(site.last(), "Content-Type") == "text/x");
  CHECK(header_of(site.last(), "X-Own") == "1");
  CHECK(header_of(site.last(), "iv-user") == "alice");
  site.gateway.ask("GET /save HTTP/1.1", cookie);
  CHECK(site.last().starts_with("GET /save HTTP/1.1\r\n"));  // once only
}

TEST_CASE("a chunked body is kept, and what is pipelined behind the way back is answered in turn") {
  const Formed site;
  const std::string form = site.gateway.ask("POST /save HTTP/1.1", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n");
  const std::string session = session_of(site.log_in(session_of(form), kAlice));
  Peer client = site.gateway.connect();
  client.send("GET /save HTTP/1.1\r\nHost: lab\r\nCookie: " + session + "\r\n\r\nGET /next HTTP/1.1\r\nHost: lab\r\nCookie: " + session +
              "\r\n\r\n");
  CHECK(body_of(client.read_response()) == "ok");
  CHECK(body_of(client.read_response()) == "ok");
  REQUIRE(site.server.requests().size() == 2);
  CHECK(body_of(site.server.requests()[0]) == "abc");
  CHECK(site.server.requests()[1].starts_with("GET /next "));
}

TEST_CASE("what is too large to be kept is refused before the login") {
  GatewayConfig config;
  config.max_kept = 100;
  const Formed site(config);
  CHECK(status_of(site.gateway.ask("POST / HTTP/1.1", "Content-Length: 101\r\n", std::string(101, 'x'))) == "413");
  CHECK(status_of(site.gateway.ask("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n",
                                   "80\r\n" + std::string(128, 'x') + "\r\n0\r\n\r\n")) == "413");
  CHECK(is_form(site.gateway.ask("POST / HTTP/1.1", "Content-Length: 3\r\n", "abc")));
}

TEST_CASE("wrong, empty and malformed forms are refused, and the right one still works") {
  const Formed site;
  const std::string before = session_of(site.gateway.ask("GET /x HTTP/1.1"));
  const std::string wrong = site.log_in(before, "username=alice&password=wrong&login-form-type=pwd");
  CHECK(is_form(wrong));
  CHECK(body_of(wrong).find("User or password is wrong.") != std::string::npos);
  CHECK_FALSE(has_header(wrong, "Set-Cookie"));
  for (const char* empty : {"username=&password=secret&login-form-type=pwd", "username=alice&password=&login-form-type=pwd"}) {
    CHECK(body_of(site.log_in(before, empty)).find("Give both user and password.") != std::string::npos);
  }
  CHECK(status_of(site.log_in(before, "username=alice&password=secret")) == "400");
  CHECK(status_of(site.log_in(before, "username=down&password=secret&login-form-type=pwd")) == "503");
  CHECK(header_of(site.log_in(before, kAlice), "Location") == "/x");
}

TEST_CASE("a login without a request before it says so; the form can be asked for") {
  const Formed site;
  CHECK(is_form(site.gateway.ask("GET /pkmslogin.form HTTP/1.1")));
  const std::string granted = site.log_in("a=b", kAlice);
  CHECK(status_of(granted) == "200");
  CHECK(body_of(granted).find("You are alice.") != std::string::npos);
  CHECK(status_of(site.gateway.ask("PUT /pkmslogin.form HTTP/1.1", "Content-Length: 0\r\n")) == "405");
}

TEST_CASE("a way back leads nowhere else") {
  const Formed site;
  const std::string form = site.gateway.ask("GET //evil.example/x HTTP/1.1");
  CHECK(header_of(site.log_in(session_of(form), kAlice), "Location") == "/evil.example/x");
}

TEST_CASE("forms are read strictly") {
  CHECK(parse_login_form("username=a%20b+c&password=%25&login-form-type=pwd&x=y")->user == "a b c");
  CHECK(parse_login_form("username=a&password=%25&login-form-type=pwd")->password == "%");
  for (const char* bad :
       {"", "username=a&password=b&login-form-type=token", "username=a&username=b&password=c&login-form-type=pwd",
        "username=%&password=b&login-form-type=pwd", "username=%00&password=b&login-form-type=pwd", "username=a&login-form-type=pwd"}) {
    INFO(bad);
    CHECK_FALSE(parse_login_form(bad));
  }
}

TEST_CASE("a logout ends the session, here and in the browser") {
  const Formed site;
  const std::string session = session_of(site.log_in("a=b", kAlice));
  CHECK(status_of(site.gateway.ask("GET /x HTTP/1.1", "Cookie: " + session + "\r\n")) == "200");
  const std::string left = site.gateway.ask("GET /pkmslogout HTTP/1.1", "Cookie: " + session + "\r\n");
  CHECK(status_of(left) == "200");
  CHECK(body_of(left).find("alice has logged out") != std::string::npos);
  CHECK(header_of(left, "Set-Cookie") == "PD-H-SESSION-ID=; Path=/; HttpOnly; Max-Age=0");
  CHECK(is_form(site.gateway.ask("GET /x HTTP/1.1", "Cookie: " + session + "\r\n")));
}

TEST_CASE("a forged session cookie before the valid one logs nobody out") {
  const Formed site;
  const std::string session = session_of(site.log_in("a=b", kAlice));
  CHECK(status_of(site.gateway.ask("GET /x HTTP/1.1", "Cookie: PD-H-SESSION-ID=forged; " + session + "\r\n")) == "200");
  CHECK(header_of(site.last(), "iv-user") == "alice");
  CHECK(is_form(site.gateway.ask("GET /x HTTP/1.1", "Cookie: PD-H-SESSION-ID=forged\r\nCookie: PD-S-SESSION-ID=x\r\n")));
  site.gateway.ask("GET /y HTTP/1.1", "Cookie: PD-H-SESSION-ID=forged\r\nCookie: " + session + "\r\n");
  CHECK(site.last().starts_with("GET /y "));
}

TEST_CASE("credentials in a header still work beside the form") {
  const Formed site;
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret"))) == "200");
}

TEST_CASE("pages are replaced by an administrator's files, with what they tell escaped") {
  const Folder folder;
  std::ofstream(folder.path / "login.html") << "own form <b>%ERROR_TEXT%</b> %URL%";
  std::ofstream(folder.path / "403.html") << "own %ERROR_CODE% %METHOD% %URL% 100% %USERNAME%";
  std::ofstream(folder.path / "notes.txt") << "no page";
  GatewayConfig config;
  config.pages = folder.path;
  config.access = {{"/gone", AccessRule::Who::nobody, {}, {}}};
  const Formed site(config);
  CHECK(body_of(site.gateway.ask("GET /x?<script> HTTP/1.1")) == "own form <b></b> /x?&lt;script&gt;");
  CHECK(body_of(site.gateway.ask("GET /gone HTTP/1.1")) == "own 403 GET /gone 100% ");
  CHECK(body_of(site.gateway.ask("GET /%2F HTTP/1.1")).find("400 Bad Request") != std::string::npos);
}
