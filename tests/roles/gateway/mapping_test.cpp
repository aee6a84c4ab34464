#include "roles/gateway/mapping.hpp"

#include <catch2/catch.hpp>

using namespace lab::gateway;

namespace {

struct Behind {
  Mount mount;
  Server server;

  explicit Behind(const std::string& point) {
    mount.point = point;
    server.host = "was";
    server.endpoint = {"was", 9080};
    server.host_header = "was:9080";
  }
  std::string location(std::string_view value) const { return map_location(value, mount, server); }
  std::string cookie(std::string_view value) const { return map_set_cookie(value, mount); }
};

}  // namespace

TEST_CASE("a back end's own URLs become paths below the mount point") {
  const Behind app("/app");
  CHECK(app.location("/x?y#z") == "/app/x?y#z");
  CHECK(app.location("http://was:9080/x?y") == "/app/x?y");
  CHECK(app.location("HTTP://WAS:9080/x") == "/app/x");
  CHECK(app.location("http://was:9080") == "/app/");
  CHECK(app.location("http://was:9080?q") == "/app/?q");
  CHECK(app.location("//was:9080/x") == "/app/x");
  const Behind root("");
  CHECK(root.location("/x") == "/x");
  CHECK(root.location("http://was:9080/x") == "/x");
}

TEST_CASE("others' URLs and relative references stay") {
  const Behind app("/app");
  for (const char* value :
       {"http://other/x", "http://was/x", "https://was:9080.evil/x", "//other/x", "x/y", "../x", "?q", "#f", "", "mailto:a@b"}) {
    CHECK(app.location(value) == value);
  }
}

TEST_CASE("the default port is the same as none") {
  Behind app("/app");
  app.server.endpoint.port = 80;
  app.server.host_header = "was";
  CHECK(app.location("http://was/x") == "/app/x");
  CHECK(app.location("http://was:80/x") == "/app/x");
  CHECK(app.location("https://was/x") == "https://was/x");
  app.mount.junction.type = lab::JunctionType::ssl;
  app.server.endpoint.port = 443;
  CHECK(app.location("https://was/x") == "/app/x");
  CHECK(app.location("http://was/x") == "http://was/x");
}

TEST_CASE("the Host that the server sees is its name, too") {
  Behind app("/app");
  app.server.host_header = "www.example.com";
  CHECK(app.location("http://www.example.com/x") == "/app/x");
}

TEST_CASE("on a transparent junction paths are the client's already") {
  Behind app("/app");
  app.mount.junction.transparent = true;
  CHECK(app.location("/app/x") == "/app/x");
  CHECK(app.location("http://was:9080/app/x") == "/app/x");
  CHECK(app.cookie("a=b; Path=/app") == "a=b; Path=/app");
}

TEST_CASE("cookies get the mount point before their Path, and lose their Domain") {
  const Behind app("/app");
  CHECK(app.cookie("a=b; Path=/; HttpOnly") == "a=b; Path=/app; HttpOnly");
  CHECK(app.cookie("a=b;path=/x;Secure") == "a=b; Path=/app/x; Secure");
  CHECK(app.cookie("a=b; Domain=was; Max-Age=5") == "a=b; Max-Age=5");
  CHECK(app.cookie("a=b") == "a=b");
  CHECK(app.cookie("path=/keep; Path=x") == "path=/keep; Path=x");
  CHECK(Behind("").cookie("a=b; Path=/") == "a=b; Path=/");
}
