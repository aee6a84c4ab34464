#include "providers/local/local.hpp"

#include "lab/resolve.hpp"
#include "providers/contract.hpp"
#include "providers/local/cgroup.hpp"
#include "providers/local/processes.hpp"
#include "providers/local/sshd.hpp"
#include "temporary_folder.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

using namespace lab;
using namespace lab::providers;

namespace {

Lab small_lab() {
  Lab lab;
  lab.name = "small";
  lab.networks = {{"dmz", 0, 24}, {"inner", 0, 24}};
  Node gateway{"webseal", {Role::gateway}, {"dmz"}};
  gateway.cpus = 1;
  lab.nodes = {gateway, Node{"tam", {Role::directory}, {"inner"}}};
  return lab;
}

// A lab's state folder with its keys; processes that a failing test leaves are ended.
struct World : contract::Fixture {
  explicit World(Lab described, local::Options options = {remote::find_program}, int slot = free_slot())
      : Fixture{[options] { return local::make_local(options); }, Site{described.name, {}, lab, 0.4, {}, slot}}, lab(std::move(described)) {
    site.state = folder / "state of small";  // paths may hold a space
    std::filesystem::create_directories(site.state / "keys");
    const std::string key = (site.state / "keys" / "id_ed25519").string();
    REQUIRE(remote::run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key}, {}, contract::soon())->exit == 0);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (const Node& node : lab.nodes) {
      static_cast<void>(open()->destroy(site, contract::named(node.name), contract::soon()));
    }
  }
  static int free_slot() {
    int slot = kSlots;
    while (local::slot_taken(slot)) {
      --slot;
    }
    return slot;
  }

  TemporaryFolder folder;
  Lab lab;
};

Result<remote::Finished> by_ssh(const World& world, const NodeRecord& node, const std::string& command) {
  const std::string known = (world.folder / "known_hosts").string();
  std::ofstream(known) << "node " << std::string(node.details.at("host_key").as_string()) << "\n";
  return remote::run({"ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "HostKeyAlias=node", "-o", "UserKnownHostsFile=" + known, "-i",
                      (world.site.state / "keys" / "id_ed25519").string(), "-p", std::to_string(node.node.ssh_port),
                      node.node.ssh_user + "@" + node.node.ssh_address, command},
                     {}, contract::soon());
}

Errors plan_errors(const World& world) {
  const auto steps = world.open()->plan(world.site, {});
  return steps ? Errors{} : steps.error();
}

class Listener {
 public:
  explicit Listener(const std::string& host, std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    REQUIRE(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(fd_, 1) == 0);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(fd_); }

 private:
  int fd_;
};

}  // namespace

TEST_CASE("provider local keeps the providers' contract") {
  contract::check([] { return std::make_shared<World>(small_lab()); });
}

TEST_CASE("an OpenSSH client gets in with the lab's key, and its session carries the label and has the node's folder for a home") {
  const World world(small_lab());
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  const auto answer = by_ssh(world, *node, "echo $LAB_NODE; echo $HOME");
  REQUIRE(answer);
  CHECK(answer->err == "");
  CHECK(answer->out == node->node.directory + "\n" + node->node.directory + "\n");
}

TEST_CASE("destroy ends what a session left behind, even when sshd was killed before") {
  const World world(small_lab());
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  const auto left = by_ssh(world, *node, "trap '' TERM; setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $!");
  REQUIRE(left);
  const auto stray = remote::identify(std::stoi(left->out));
  REQUIRE(stray);
  const auto sshd = local::running_sshd(node->node.directory);
  REQUIRE(sshd);
  kill(sshd->pid, SIGKILL);

  REQUIRE(world.open()->destroy(world.site, contract::named("webseal"), contract::soon()));
  CHECK_FALSE(remote::is_running(*stray));
  CHECK(contract::left(world).empty());
}

TEST_CASE("a killed sshd is started again with the same host key") {
  const World world(small_lab());
  const auto before = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(before);
  const auto sshd = local::running_sshd(before->node.directory);
  kill(sshd->pid, SIGKILL);
  while (remote::is_running(*sshd)) {
    usleep(1000);
  }
  const auto steps = world.open()->plan(world.site, {*before});
  REQUIRE(steps);
  CHECK(steps->front().action == "repair");
  const auto after = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(after);
  CHECK(after->node.ssh_host_key == before->node.ssh_host_key);
  CHECK(by_ssh(world, *after, "true")->exit == 0);
}

TEST_CASE("a missing sshd is an error with its remedy before anything is touched") {
  const World world(small_lab(), {[](const std::string& name) { return name == "sshd" ? std::nullopt : remote::find_program(name); }});
  const auto errors = plan_errors(world);
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors.front()) ==
        "sshd not found: it is looked for on PATH, in /usr/sbin and in /sbin\n"
        "  at provider local\n"
        "  apt-get install openssh-server");
}

TEST_CASE("what other people's gateways need is looked for, and what is only driven is left alone") {
  Lab lab = small_lab();
  lab.nodes[0].software = Software::nginx;
  lab.nodes[0].log_dir = "/nowhere";
  lab.nodes.push_back(Node{"driven", {Role::gateway}});
  lab.nodes.back().software = Software::external;
  const World world(lab, {[](const std::string& name) { return name == "nginx" ? std::nullopt : remote::find_program(name); }});
  const auto errors = plan_errors(world);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].what == "log-dir /nowhere: No such file or directory");
  CHECK(to_string(errors[1]) ==
        "nginx is not installed on this host\n  at node webseal\n  apt-get install nginx-light, or take `kind` out");
}

TEST_CASE("a node's log folder on another disk goes with it") {
  const World world(small_lab());
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  const TemporaryFolder other;
  const std::string logs = own_log_folder(other.path().string(), node->node.directory);
  std::filesystem::create_directories(logs);
  std::ofstream(logs + "/request.log") << "a line\n";
  std::ofstream(node->node.directory + "/" + kLogFolderFile) << logs << "\n";
  REQUIRE(world.open()->destroy(world.site, contract::named("webseal"), contract::soon()));
  CHECK_FALSE(std::filesystem::exists(logs));
  CHECK(std::filesystem::exists(other.path()));
}

TEST_CASE("a port in use is an error that names who listens there") {
  const World world(small_lab());
  const std::string address = local::address_of(world.lab, world.lab.nodes[0], world.site.slot);
  const Listener listener(address, 8443);
  const auto errors = plan_errors(world);
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors.front()) == address + ":8443 is in use: process " + std::to_string(getpid()) +
                                         " (test_local) listens there\n"
                                         "  at node webseal, gateway https\n"
                                         "  end it, or give gateway https another port in the lab file");
}

TEST_CASE("what a provider without firewalls and with two cores cannot do is told for all nodes at once") {
  Lab lab = small_lab();
  lab.nodes[1].roles = {Role::firewall};
  lab.nodes[0].cpus = 8;
  World world(lab);
  world.site.pins["webseal"] = {0};
  const auto errors = plan_errors(world);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].what == "8 lab CPUs are 3.2 host CPUs, and this node has 1");
  CHECK(errors[1].what == "provider local has no nodes of role firewall");
}

TEST_CASE("an address says which lab, network and node it is") {
  const Lab lab = small_lab();
  CHECK(local::address_of(lab, lab.nodes[0], 1) == "127.101.1.1");
  CHECK(local::address_of(lab, lab.nodes[1], 7) == "127.107.2.2");
}

TEST_CASE("sshd's configuration names absolute paths, one user, and nothing of the host") {
  const std::string config = local::sshd_config({"/home/a b/nodes/tam", "127.101.2.2", "me", "/home/50%/keys/id_ed25519.pub"});
  CHECK(config.find("ListenAddress 127.101.2.2\nPort 2022\n") != std::string::npos);
  CHECK(config.find("HostKey \"/home/a b/nodes/tam/ssh/host_key\"\n") != std::string::npos);
  CHECK(config.find("AuthorizedKeysFile \"/home/50%%/keys/id_ed25519.pub\"\n") != std::string::npos);
  CHECK(config.find("AllowUsers me\n") != std::string::npos);
  CHECK(config.find("SetEnv \"LAB_NODE=/home/a b/nodes/tam\" \"HOME=/home/a b/nodes/tam\"\n") != std::string::npos);
}
