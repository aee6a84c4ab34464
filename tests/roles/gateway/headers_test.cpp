#include "roles/gateway/headers.hpp"

#include <catch2/catch.hpp>

using namespace lab::gateway;

namespace {

struct Setting {
  Mount mount;
  Server server;
  PrincipalPtr principal = make_unauthenticated();
  bool trusted = false, https = false, upgrade = false;

  Setting() { server.host_header = "was:9080"; }

  std::string forwarded(const std::string& text) {
    lab::http::Request request;
    REQUIRE(lab::http::parse_request(text, request).status == lab::http::Parse::done);
    NormalPath path;
    REQUIRE(normalise_path(request.target, path));
    std::string out;
    append_request_head(out, {request, path, mount, server, *principal, "192.0.2.1", "192.0.2.9", trusted, https, upgrade, "gw"});
    return out;
  }
};

std::string ended(std::string_view lines) {
  std::string head(lines);
  head += "Via: 1.1 gw\r\nX-Forwarded-For: 192.0.2.9\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: lab\r\n\r\n";
  return head;
}

PrincipalPtr alice() { return make_principal({Login::Outcome::granted, "alice", {"a \"b\"", "staff"}, {}}); }

std::string answered(const std::string& text, ResponseHead head, bool to_head = false) {
  lab::http::Response response;
  REQUIRE(lab::http::parse_response(text, response, to_head).status == lab::http::Parse::done);
  std::string out;
  append_response_head(out,
                       {response, head.mount, head.server, head.chunked, head.client_minor, head.keep_alive, head.set_cookie_lines, "now"});
  return out;
}

const lab::http::Response kNone;
const Mount kMount;
const Server kServer;

}  // namespace

TEST_CASE("a request goes on with the server's Host, Via and the client's address") {
  Setting to;
  CHECK(to.forwarded("GET /x?y HTTP/1.1\r\nHost: lab\r\nAccept: */*\r\nVia: 1.1 first\r\n\r\n") ==
        ended("GET /x?y HTTP/1.1\r\nHost: was:9080\r\nAccept: */*\r\nVia: 1.1 first\r\n"));
  CHECK(to.forwarded("GET / HTTP/1.0\r\n\r\n") ==
        "GET / HTTP/1.1\r\nHost: was:9080\r\nVia: 1.0 gw\r\nX-Forwarded-For: 192.0.2.9\r\nX-Forwarded-Proto: http\r\n\r\n");
}

TEST_CASE("the mount point is taken off unless the junction is transparent") {
  Setting to;
  to.mount.point = "/app";
  CHECK(to.forwarded("GET /app/x HTTP/1.1\r\nHost: lab\r\n\r\n").starts_with("GET /x HTTP/1.1\r\n"));
  CHECK(to.forwarded("GET /app HTTP/1.1\r\nHost: lab\r\n\r\n").starts_with("GET / HTTP/1.1\r\n"));
  CHECK(to.forwarded("GET /app?q HTTP/1.1\r\nHost: lab\r\n\r\n").starts_with("GET /?q HTTP/1.1\r\n"));
  to.mount.junction.transparent = true;
  CHECK(to.forwarded("GET /app/x HTTP/1.1\r\nHost: lab\r\n\r\n").starts_with("GET /app/x HTTP/1.1\r\n"));
}

TEST_CASE("framing is written anew") {
  Setting to;
  CHECK(to.forwarded("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 007\r\nExpect: 100-continue\r\n\r\n") ==
        ended("POST / HTTP/1.1\r\nHost: was:9080\r\nContent-Length: 7\r\n"));
  CHECK(to.forwarded("POST / HTTP/1.1\r\nHost: lab\r\ntransfer-encoding: Chunked\r\nTrailer: X\r\n\r\n") ==
        ended("POST / HTTP/1.1\r\nHost: was:9080\r\nTransfer-Encoding: chunked\r\n"));
}

TEST_CASE("hop-by-hop headers and those that Connection names are stripped") {
  Setting to;
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nConnection: X-Secret, upgrade\r\nX-Secret: 1\r\nUpgrade: h2c\r\nTE: trailers\r\n"
                     "Keep-Alive: 5\r\nProxy-Authorization: x\r\nProxy-Connection: keep-alive\r\nHTTP2-Settings: x\r\nX-Kept: 2\r\n\r\n") ==
        ended("GET / HTTP/1.1\r\nHost: was:9080\r\nX-Kept: 2\r\n"));
}

TEST_CASE("every spelling of identity and forwarding headers is stripped, also when nothing is inserted") {  // CVE-2025-64484
  Setting to;
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\niv-user: admin\r\nIv_User: admin\r\niv.user: admin\r\nIV-USER-L: x\r\niv_groups: "
                     "x\r\nIV-creds: x\r\n"
                     "Iv-Remote_Address: x\r\niv_server_name: x\r\nX-Forwarded-For: 10.0.0.1\r\nX_Forwarded_For: x\r\n"
                     "X-Forwarded-Proto: https\r\nX-Real-IP: x\r\nForwarded: for=x\r\n\r\n") ==
        ended("GET / HTTP/1.1\r\nHost: was:9080\r\n"));
}

TEST_CASE("-c all tells who asks") {
  Setting to;
  to.mount.junction.identity = {true, true, true};
  to.mount.junction.client_address = true;
  to.principal = alice();
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nIv-User: admin\r\n\r\n") ==
        ended("GET / HTTP/1.1\r\nHost: was:9080\r\niv-user: alice\r\niv-groups: \"a \\\"b\\\"\",\"staff\"\r\n"
              "iv-creds: Version=1, eyJ1c2VyIjoiYWxpY2UiLCJncm91cHMiOlsiYSBcImJcIiIsInN0YWZmIl19\r\n"
              "iv_server_name: gw\r\n"
              "iv-remote-address: 192.0.2.1\r\n"));
  to.principal = make_unauthenticated();
  const std::string anonymous = to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(anonymous.find("iv-user: Unauthenticated\r\n") != std::string::npos);
  CHECK(anonymous.find("iv-groups") == std::string::npos);
}

TEST_CASE("a client cannot nominate the gateway's own headers away") {  // CVE-2024-45410, CVE-2022-31813
  Setting to;
  to.mount.junction.identity.user = true;
  to.principal = alice();
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nConnection: close, iv-user, via, x-forwarded-for, host, content-length\r\n\r\n") ==
        ended("GET / HTTP/1.1\r\nHost: was:9080\r\niv-user: alice\r\niv_server_name: gw\r\n"));
}

TEST_CASE("a name from the directory cannot break out of its header") {
  Setting to;
  to.mount.junction.identity.user = true;
  to.principal = make_principal({Login::Outcome::granted, "eve\r\niv-groups: admin", {}, {}});
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\n\r\n").find("iv-user: eve??iv-groups: admin\r\n") != std::string::npos);
}

TEST_CASE("-b says what a back end sees of Authorization") {
  Setting to;
  to.principal = alice();
  const std::string request = "GET / HTTP/1.1\r\nHost: lab\r\nAuthorization: Basic eA==\r\n\r\n";
  CHECK(to.forwarded(request).find("Authorization") == std::string::npos);
  to.mount.junction.basic = lab::BasicHeader::ignore;
  CHECK(to.forwarded(request).find("Authorization: Basic eA==\r\n") != std::string::npos);
  to.mount.junction.basic = lab::BasicHeader::supply;
  CHECK(to.forwarded(request).find("Authorization: Basic YWxpY2U6ZHVtbXk=\r\n") != std::string::npos);
}

TEST_CASE("the gateway's own cookies stay here") {
  Setting to;
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nCookie: a=1; PD-S-SESSION-ID=x;b=2 ; PD-H-SESSION-ID=y\r\n\r\n")
            .find("Cookie: a=1; b=2\r\n") != std::string::npos);
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nCookie: PD-H-SESSION-ID=y\r\n\r\n").find("Cookie") == std::string::npos);
}

TEST_CASE("a response goes on without what is meant for one hop") {
  CHECK(
      answered(
          "HTTP/1.1 200 Fine\r\nConnection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nServer: was\r\nContent-Length: 3\r\n\r\n",
          {kNone, kMount, kServer}) == "HTTP/1.1 200 Fine\r\nServer: was\r\nContent-Length: 3\r\nDate: now\r\n\r\n");
  CHECK(answered("HTTP/1.1 200 OK\r\nDate: then\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n", {kNone, kMount, kServer, true}) ==
        "HTTP/1.1 200 OK\r\nDate: then\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(answered("HTTP/1.1 204 No Content\r\nDate: then\r\nContent-Length: 0\r\n\r\n", {kNone, kMount, kServer}) ==
        "HTTP/1.1 204 No Content\r\nDate: then\r\n\r\n");
}

TEST_CASE("a response says whether the connection stays") {
  const std::string text = "HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 0\r\n\r\n";
  const std::string start = "HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 0\r\n";
  CHECK(answered(text, {kNone, kMount, kServer, false, 1, true}) == start + "\r\n");
  CHECK(answered(text, {kNone, kMount, kServer, false, 1, false}) == start + "Connection: close\r\n\r\n");
  CHECK(answered(text, {kNone, kMount, kServer, false, 0, true}) == start + "Connection: keep-alive\r\n\r\n");
}

TEST_CASE("a back end cannot set the gateway's cookies") {
  CHECK(answered("HTTP/1.1 204 N\r\nDate: t\r\nSet-Cookie: PD-S-SESSION-ID=evil\r\nSet-Cookie: a=b\r\n\r\n",
                 {kNone, kMount, kServer, false, 1, true, "Set-Cookie: PD-S-SESSION-ID=good\r\n"}) ==
        "HTTP/1.1 204 N\r\nDate: t\r\nSet-Cookie: a=b\r\nSet-Cookie: PD-S-SESSION-ID=good\r\n\r\n");
}

TEST_CASE("what a trusted proxy says about the client stays, and the proxy is added") {  // caddy-security 266
  Setting to;
  const std::string request =
      "GET / HTTP/1.1\r\nHost: lab\r\nX-Forwarded-For: 10.1.1.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: www\r\nForwarded: "
      "for=x\r\n\r\n";
  CHECK(to.forwarded(request) == ended("GET / HTTP/1.1\r\nHost: was:9080\r\n"));
  to.trusted = true;
  CHECK(to.forwarded(request) ==
        "GET / HTTP/1.1\r\nHost: was:9080\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: www\r\nForwarded: for=x\r\n"
        "Via: 1.1 gw\r\nX-Forwarded-For: 10.1.1.1, 192.0.2.9\r\n\r\n");
}

TEST_CASE("back ends are told of HTTPS") {
  Setting to;
  to.https = true;
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\n\r\n").find("X-Forwarded-Proto: https\r\n") != std::string::npos);
}

TEST_CASE("-B logs the gateway in, whatever -b says") {
  Setting to;
  to.principal = alice();
  to.mount.login = basic_authorization("gw", "pw");
  to.mount.junction.basic = lab::BasicHeader::ignore;
  CHECK(to.forwarded("GET / HTTP/1.1\r\nHost: lab\r\nAuthorization: Basic eA==\r\n\r\n") ==
        ended("GET / HTTP/1.1\r\nHost: was:9080\r\nAuthorization: Basic Z3c6cHc=\r\n"));
}

TEST_CASE("-b supply has the password set for it, and none for nobody; -b gso each user's own") {
  Setting to;
  const std::string request = "GET / HTTP/1.1\r\nHost: lab\r\n\r\n";
  to.mount.junction.basic = lab::BasicHeader::supply;
  to.mount.junction.supply_password = "other";
  CHECK(to.forwarded(request).find("Authorization") == std::string::npos);
  to.principal = alice();
  CHECK(to.forwarded(request).find("Authorization: Basic YWxpY2U6b3RoZXI=\r\n") != std::string::npos);
  to.mount.junction.basic = lab::BasicHeader::gso;
  CHECK(to.forwarded(request).find("Authorization") == std::string::npos);
  to.mount.gso["alice"] = "Basic eA==";
  CHECK(to.forwarded(request).find("Authorization: Basic eA==\r\n") != std::string::npos);
}

TEST_CASE("-k lets the session cookie through, pinning and junction cookies stay all the same") {
  Setting to;
  const std::string request = "GET / HTTP/1.1\r\nHost: lab\r\nCookie: a=; PD-S-SESSION-ID=x; PD_STATEFUL_01=y; IV_JCT=/app\r\n\r\n";
  CHECK(to.forwarded(request).find("Cookie: a=\r\n") != std::string::npos);
  to.mount.junction.session_cookie = true;
  CHECK(to.forwarded(request).find("Cookie: a=; PD-S-SESSION-ID=x\r\n") != std::string::npos);
}

TEST_CASE("Location and Path are mapped to the junction") {  // h2o 190, caddy 2381
  Mount mount;
  mount.point = "/app";
  const std::string start = "HTTP/1.1 302 Found\r\nDate: t\r\n";
  CHECK(answered(start + "Location: /x\r\nContent-Location: /y\r\nSet-Cookie: a=b; Path=/\r\n\r\n",
                 {kNone, mount, kServer, false, 1, true}) ==
        start + "Location: /app/x\r\nContent-Location: /app/y\r\nSet-Cookie: a=b; Path=/app\r\n\r\n");
}
