#include "lab/resolve.hpp"

#include <catch2/catch.hpp>

using namespace lab;

namespace {

Standing standing() {
  Standing standing;
  standing.name = "small";
  Node webseal{"webseal", {Role::gateway}, {}};
  webseal.cpus = 1.5;
  webseal.gateway.junctions = {{"/app", JunctionType::tcp, {"was", "192.0.2.9:81"}, {}}};
  Node was{"was", {Role::pages}, {}};
  was.pages.threads = 2;
  standing.lab.nodes = {webseal, Node{"tam", {Role::directory}, {}}, was};
  standing.nodes = {{"webseal", "127.101.1.1", "host", "", "", "", 22, "/nodes/webseal", {}},
                    {"tam", "127.101.1.2", "host", "", "", "", 22, "/nodes/tam", {}},
                    {"was", "127.101.1.3", "host", "", "", "", 22, "/nodes/was", {}}};
  return standing;
}

}  // namespace

TEST_CASE("a gateway is told addresses for names and files in its node's folder") {
  const Standing lab = standing();
  const auto config = resolve_gateway(lab, lab.nodes[0]);
  REQUIRE(config);
  CHECK(config->service.plain == std::vector<Endpoint>{{"127.101.1.1", 8080}});
  CHECK(config->service.tls == std::vector<Endpoint>{{"127.101.1.1", 8443}});
  CHECK(config->service.certificate.certificate == "/nodes/webseal/certs/server.pem");
  CHECK(config->service.certificate.key == "/nodes/webseal/certs/server.key");
  CHECK(config->service.threads == 2);
  CHECK(config->directory.url == "ldap://127.101.1.2:3890");
  CHECK(config->logs.request == "/nodes/webseal/logs/request.log");
  REQUIRE(config->junctions.size() == 1);
  CHECK(config->junctions[0].servers == std::vector<Endpoint>{{"127.101.1.3", 9080}, {"192.0.2.9", 81}});
  CHECK(config->junctions[0].server_ca.empty());
}

TEST_CASE("an ssl junction goes to the https port and verifies the lab's authority") {
  const Standing lab = standing();
  const auto junction = resolve_junction(lab, lab.nodes[0], {"/app", JunctionType::ssl, {"was"}, {}});
  REQUIRE(junction);
  CHECK(junction->servers == std::vector<Endpoint>{{"127.101.1.3", 9443}});
  CHECK(junction->server_ca == "/nodes/webseal/certs/ca.pem");
}

TEST_CASE("a server that is no back end is an error that names the junction") {
  const Standing lab = standing();
  for (const char* server : {"nobody", "tam", "host:", "host:0", ":80", "host:99999"}) {
    const auto junction = resolve_junction(lab, lab.nodes[0], {"/app", JunctionType::tcp, {server}, {}});
    REQUIRE(!junction);
    CHECK(to_string(junction.error()) == std::string("server ") + server +
                                             " of junction /app is no back end of this lab\n"
                                             "  at lab small\n"
                                             "  give the name of a node with role pages, or host:port");
  }
}

TEST_CASE("directory and pages listen at their node's address") {
  const Standing lab = standing();
  const auto directory = resolve_directory(lab, lab.nodes[1]);
  REQUIRE(directory);
  CHECK(directory->service.plain == std::vector<Endpoint>{{"127.101.1.2", 3890}});
  CHECK(directory->users == 1000);
  const auto pages = resolve_pages(lab, lab.nodes[2]);
  REQUIRE(pages);
  CHECK(pages->service.tls == std::vector<Endpoint>{{"127.101.1.3", 9443}});
  CHECK(pages->service.threads == 2);
  CHECK(!resolve_pages(lab, lab.nodes[1]));
}
