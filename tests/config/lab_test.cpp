#include "config/config.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace lab;

TEST_CASE("the built-in lab is the study's environment without its firewalls") {
  const Lab lab = config::load_lab("local").value();
  CHECK(lab.name == "local");
  CHECK(lab.provider == ProviderKind::local);
  CHECK_FALSE(lab.cpu_unit);
  CHECK(lab.path == "labs/local.yaml");
  CHECK(lab.source == config::built_in("labs/local.yaml")->text);
  std::vector<std::string> names;
  for (const Node& node : lab.nodes) {
    names.push_back(node.name);
  }
  CHECK(names == std::vector<std::string>{"client1", "client2", "webseal", "tam", "was", "was-linux", "db2"});
  CHECK(lab.find("webseal")->cpus == 1.0);
  CHECK(lab.find("webseal")->has(Role::gateway));
  CHECK(lab.find("webseal")->gateway.basic == BasicAuthentication::https);
  CHECK(lab.find("was")->machine == "zos");
  CHECK(lab.find("tam")->directory.users == 1000);
  CHECK(lab.networks.size() == 3);
  CHECK(lab.networks[0] == Network{"clients", 0xC6120100, 24});
}

TEST_CASE("a node's own settings override the lab's key by key") {
  const auto lab = config::parse_lab(
      "lab: x\n"
      "gateway: {authentication: {basic: https, realm: ours}, http: 8000, junctions: [{point: /a, type: tcp, servers: [w]}]}\n"
      "pages: {threads: 3}\n"
      "nodes:\n"
      "  g: {roles: [gateway], gateway: {authentication: {realm: mine}, https: 8001}}\n"
      "  h: {roles: gateway}\n"
      "  w: {roles: [pages, load], pages: {http: 81}, cpus: 0.5}\n",
      "x.yaml");
  REQUIRE(lab.has_value());
  const GatewaySettings& own = lab->find("g")->gateway;
  CHECK(own.basic == BasicAuthentication::https);
  CHECK(own.realm == "mine");
  CHECK(own.http == 8000);
  CHECK(own.https == 8001);
  CHECK(own.junctions.size() == 1);
  CHECK(lab->find("h")->gateway.realm == "ours");
  CHECK(lab->find("h")->gateway.https == 8443);
  CHECK(lab->find("w")->pages == PagesSettings{81, 9443, 3});
  CHECK(lab->find("w")->roles == std::vector<Role>{Role::pages, Role::load});
}

TEST_CASE("nodes of other providers keep what only these read") {
  const auto lab = config::parse_lab(
      "lab: z\nprovider: zvm\nnetworks: {inner: 10.1.0.0/24}\nnodes:\n"
      "  a: {roles: [gateway], networks: [inner], userid: LINUX1, memory: 2GB, image: rhel8, disks: [10GB, 1GB], vswitch: VSW1,\n"
      "      address: 10.1.0.5, gateway: 10.1.0.1, max-cpus: 4, cpus: 2, log-dir: /logs}\n"
      "  b: {roles: [gateway], host: linux2, user: me, port: 2222, key: /k, host-key: 'SHA256:x', kind: nginx}\n",
      "z.yaml");
  REQUIRE(lab.has_value());
  const Node& a = *lab->find("a");
  CHECK(a.guest == Guest{"LINUX1", "rhel8", "VSW1", "10.1.0.1", 2147483648U, {10737418240U, 1073741824U}, 4});
  CHECK(a.address == "10.1.0.5");
  CHECK(a.log_dir == "/logs");
  const Node& b = *lab->find("b");
  CHECK(b.host == "linux2");
  CHECK(b.port == 2222);
  CHECK(b.host_key == "SHA256:x");
  CHECK(b.software == Software::nginx);
}

TEST_CASE("a lab is given by path or by a built-in's name") {
  const auto unknown = config::load_lab("locl");
  REQUIRE(unknown.has_error());
  CHECK(to_string(unknown.error().front()) ==
        "nothing called `locl` is built in\n  did you mean `local`?; a file is given by its path, ./locl.yaml");
  const auto absent = config::load_lab("./nowhere.yaml");
  REQUIRE(absent.has_error());
  CHECK(to_string(absent.error().front()) ==
        "open ./nowhere.yaml: No such file or directory\n  look at its name, or write a starter with `lab init`");
  CHECK(absent.error().front().failure == Failure::usage);
}

TEST_CASE("a file to read is a file, of 4 MiB at most") {
  const auto folder = std::filesystem::temp_directory_path() / "lab-config-read-file";
  std::filesystem::create_directories(folder);
  CHECK(config::read_file(folder).error().what == folder.string() + " is a directory");
  std::ofstream(folder / "large.yaml") << std::string((4 << 20) + 1, ' ');
  CHECK(config::read_file(folder / "large.yaml").error().what == (folder / "large.yaml").string() + " is larger than 4 MiB");
  std::ofstream(folder / "small.yaml") << "lab: x\n";
  CHECK(config::read_file(folder / "small.yaml").value() == "lab: x\n");
  std::filesystem::remove_all(folder);
}

TEST_CASE("where Feilong is comes with the lab, and names of z/VM are upper case") {
  const auto lab = config::parse_lab(
      "lab: z\nprovider: zvm\nfeilong: {url: 'https://zvm:9443/x', token-file: ~/t, ca-file: /ca.pem, disk-pool: 'ECKD:POOL1', "
      "user-profile: osdflt}\n"
      "networks: {inner: 10.1.0.0/24}\nnodes:\n"
      "  a: {roles: [load], networks: [inner], userid: linux1, image: rhel8, vswitch: vsw1, address: 10.1.0.5}\n",
      "z.yaml");
  REQUIRE(lab.has_value());
  CHECK(lab->feilong == FeilongAccess{"https://zvm:9443/x", "~/t", "/ca.pem", "ECKD:POOL1", "OSDFLT"});
  CHECK(lab->nodes[0].guest.userid == "LINUX1");
  CHECK(lab->nodes[0].guest.vswitch == "VSW1");
}
