#include "providers/ssh/ssh.hpp"

#include "providers/contract.hpp"
#include "providers/ssh/commands.hpp"
#include "providers/ssh/host.hpp"
#include "providers/ssh/probe.hpp"
#include "remote/sshd.hpp"

#include <sys/stat.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <map>

using namespace lab;
using namespace lab::providers;

namespace {

namespace fs = std::filesystem;

// A host: an sshd of its own, whose user has a home of its own with something in it.
struct GivenHost {
  test::TemporaryFolder home;
  test::Sshd sshd{"SetEnv SHLVL=1 \"HOME=" + home.path().string() + "\""};
  GivenHost() {
    fs::create_directories(home.path() / "work");
    test::write_file(home.path() / "work" / "letter", "as it was\n");
    test::write_file(home.path() / ".profile", "echo loud\n");
    fs::create_symlink("work/letter", home.path() / "link");
  }
};

Node node_at(const GivenHost& host, const std::string& name, Role role) {
  Node node{name, {role}};
  node.host = "127.0.0.1";
  node.port = host.sshd.target().port;
  node.user = host.sshd.target().user;
  node.key = host.sshd.target().private_key.string();
  node.host_key = host.sshd.target().host_key;
  return node;
}

struct World : contract::Fixture {
  World() : Fixture{[this] { return ssh::make_ssh(options); }, Site{"given", {}, lab}} {
    site.state = folder.path() / "state of given";
    fs::create_directories(site.state);
    lab.name = "given";
    lab.provider = ProviderKind::ssh;
    lab.nodes = {node_at(first, "webseal", Role::gateway), node_at(second, "tam", Role::directory)};
    lab.nodes[0].cpus = 1;
    lab.nodes[1].address = "127.0.0.2";  // where its roles listen
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (const Node& node : lab.nodes) {
      static_cast<void>(open()->destroy(site, contract::named(node.name), contract::soon()));
    }
  }
  Errors plan_errors() const {
    const auto steps = open()->plan(site, {});
    return steps ? Errors{} : steps.error();
  }

  GivenHost first, second;
  test::TemporaryFolder folder;
  ssh::Options options{remote::Binaries("/proc/self/exe")};
  Lab lab;
};

// Path to type, mode and content.
std::map<std::string, std::string> manifest(const fs::path& root) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    struct stat status {};
    lstat(entry.path().c_str(), &status);
    const std::string content = entry.is_symlink()        ? fs::read_symlink(entry.path()).string()
                                : entry.is_regular_file() ? test::read_file(entry.path())
                                                          : std::string();
    all[entry.path().string()] = std::to_string(status.st_mode) + " " + std::to_string(status.st_uid) + " " + content;
  }
  return all;
}

std::string run_on(const GivenHost& host, const std::string& command) {
  const auto remote = remote::connect_ssh(host.sshd.target(), contract::soon());
  REQUIRE(remote);
  const auto done = (*remote)->exec(command, {}, contract::soon());
  REQUIRE(done);
  return done->out;
}

}  // namespace

TEST_CASE("provider ssh keeps the providers' contract") {
  contract::check([] { return std::make_shared<World>(); });
}

TEST_CASE("destroy leaves a given host as it was, byte for byte, whatever ran there") {
  const World world;
  const auto before = manifest(world.first.home.path());
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  CHECK(node->node.directory.starts_with(world.first.home.path().string() + "/.lab-given-"));
  CHECK(node->node.ssh_key == world.lab.nodes[0].key);
  test::write_file(node->node.directory + "/log", "much");
  const auto pid = std::stoi(
      run_on(world.first, "trap '' TERM; LAB_NODE='" + node->node.directory + "' setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo $!"));
  const auto stray = remote::identify(pid);
  REQUIRE(stray);
  auto after_create = manifest(world.first.home.path());
  for (const auto& [path, content] : before) {
    CHECK(after_create[path] == content);
  }

  REQUIRE(world.open()->destroy(world.site, contract::named("webseal"), contract::soon()));
  CHECK_FALSE(remote::is_running(*stray));
  CHECK(manifest(world.first.home.path()) == before);
  CHECK_FALSE(fs::exists(world.site.state / "hosts"));
}

TEST_CASE("the CPU time of a node is that of its labelled processes") {
  const World world;
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  const auto idle = world.open()->cpu_times(world.site, *node);
  REQUIRE(idle);
  CHECK(idle->node_us == 0);
  run_on(world.first, "LAB_NODE='" + node->node.directory + "' setsid sh -c 'while :; do :; done' >/dev/null 2>&1 </dev/null &");
  std::uint64_t used = 0;
  for (const Deadline deadline = contract::soon(); used == 0 && Clock::now() < deadline;) {
    used = world.open()->cpu_times(world.site, *node)->node_us;
  }
  CHECK(used > 0);
}

TEST_CASE("a host key that is not pinned is an error that shows it, and is pinned where that is allowed") {
  World world;
  world.lab.nodes.resize(1);
  world.lab.nodes[0].host_key.clear();
  const std::string place = world.lab.nodes[0].user + "@127.0.0.1:" + std::to_string(world.lab.nodes[0].port);
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors[0]) == "the host's key is not pinned\n  at node webseal, " + place + "\n  it shows " +
                                    world.first.sshd.target().host_key +
                                    " now: when `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` says the same there, write it as the "
                                    "node's `host-key`, or use --accept-new-host-keys");

  world.options.accept_new_host_keys = true;
  const auto node = world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(node);
  CHECK(node->node.ssh_host_key == world.first.sshd.target().host_key);
  const std::string line = test::read_file(world.first.sshd.folder() / "host_key.pub");
  CHECK(line.starts_with(std::string(node->details.at("host_key").as_string()) + " "));

  world.options.accept_new_host_keys = false;  // pinned now
  CHECK(world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon()));
}

TEST_CASE("another host key than the pinned one is refused, also with --accept-new-host-keys") {
  World world;
  world.options.accept_new_host_keys = true;
  world.lab.nodes.resize(1);
  world.lab.nodes[0].host_key = "SHA256:of-another-machine";
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].what.find("not the pinned SHA256:of-another-machine") != std::string::npos);
  CHECK_FALSE(world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon()));
}

TEST_CASE("an RSA key is refused plainly, before anything is touched") {
  World world;
  world.lab.nodes.resize(1);
  const fs::path key = world.folder.path() / "id_rsa";
  test::make_key(key, "rsa");
  world.lab.nodes[0].key = key.string();
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors[0]) == key.string() +
                                    " is an RSA key; only ed25519 keys work here\n  at node webseal\n  make one with `ssh-keygen -t "
                                    "ed25519 -N ''` and give its file, as the node's `key`");
}

TEST_CASE("what a host cannot carry is told for all nodes at once") {
  World world;
  world.lab.nodes[0].cpus = 100'000;
  world.lab.nodes[0].log_dir = "/nowhere";
  world.lab.nodes[1].directory.ldap = world.second.sshd.target().port;
  world.lab.nodes[1].address.clear();
  world.lab.nodes.push_back(node_at(world.second, "wall", Role::firewall));
  std::vector<std::string> told;
  for (const Error& error : world.plan_errors()) {
    told.push_back(error.what);
  }
  REQUIRE(told.size() == 4);
  CHECK(told[0] == "the user may not write in log-dir /nowhere, or it is not there");
  CHECK(told[1].starts_with("100000 lab CPUs are 100000 host CPUs, and the host has "));
  CHECK(told[2] == "127.0.0.1:" + std::to_string(world.second.sshd.target().port) + " is in use on the host");
  CHECK(told[3].starts_with("a firewall would change the host's network"));
}

TEST_CASE("a user who is not root gets no privileged port, no home that is not writable and none where programs do not run") {
  Node node{"webseal", {Role::gateway}};
  node.gateway.http = 80;
  const ssh::Host host{"webseal", "h", "192.0.2.1", 22, "me", "", "", "", ""};
  ssh::Facts facts = ssh::parse_facts(
      "arch x86_64\nhome /home/me\nuid 1000\ncpus 2\nfree 1000000\nmounts\n/dev/a / ext4 rw 0 0\n/dev/b /home ext4 rw,noexec 0 0\n"
      "tcp\n  sl  local_address rem_address st\n   0: 010200C0:20FB 00000000:0000 0A 0\n");
  CHECK_FALSE(facts.writable);
  CHECK_FALSE(facts.programs_run);
  struct Case {
    bool writable, programs_run;
    std::string first;
  };
  for (const Case& one : {Case{false, false, "the user may not write in its home /home/me"},
                          Case{true, false, "programs may not run from /home/me: it is mounted noexec"}}) {
    facts.writable = one.writable;
    facts.programs_run = one.programs_run;
    facts.architecture = "x86_64";
    const Errors errors = ssh::judge(facts, node, host, {"label"}, remote::Binaries("/proc/self/exe"));
    std::vector<std::string> told;
    for (const Error& error : errors) {
      told.push_back(error.what);
    }
    told.erase(std::remove_if(told.begin(), told.end(), [](const std::string& what) { return what.starts_with("the node is "); }),
               told.end());
    CHECK(told ==
          std::vector<std::string>{one.first, "192.0.2.1:80 wants root, and the user is not", "192.0.2.1:8443 is in use on the host"});
  }
}

TEST_CASE("what listens on a host is seen whichever byte order the host's kernel prints addresses in") {
  const Node node{"webseal", {Role::gateway}};
  const ssh::Host host{"webseal", "h", "192.0.2.1", 22, "me", "", "", "", ""};
  for (const char* const address : {"010200C0", "C0000201"}) {
    ssh::Facts facts = ssh::parse_facts("arch s390x\nhome /home/me\nuid 1000\ncpus 2\nwritable 1\nfree 1000000\n");
    facts.listening.insert(std::string(address) + ":20FB");
    const Errors errors = ssh::judge(facts, node, host, {"label"}, remote::Binaries("/proc/self/exe"));
    INFO(address);
    CHECK(
        std::any_of(errors.begin(), errors.end(), [](const Error& error) { return error.what == "192.0.2.1:8443 is in use on the host"; }));
  }
}

TEST_CASE("nodes behind one address are told when their ports meet") {
  World world;
  world.lab.nodes[1] = node_at(world.second, "other", Role::gateway);
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 2);
  CHECK(to_string(errors[0]) ==
        "127.0.0.1:8080 is wanted twice, first by node webseal, gateway http\n  at node other, gateway http\n  give one of them another "
        "port in the lab file");
}

TEST_CASE("a directory of that name that is not the lab's is neither used nor removed") {
  const World world;
  const fs::path theirs = world.first.home.path() / ssh::directory_name("given", world.site.state, "webseal");
  fs::create_directories(theirs);
  test::write_file(theirs / "precious", "theirs");
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].what == theirs.string() + " on the host is not this lab's");
  CHECK_FALSE(world.open()->create(world.site, world.lab.nodes[0], contract::accept, contract::soon()));
  CHECK_FALSE(world.open()->destroy(world.site, contract::named("webseal"), contract::soon()));
  CHECK(test::read_file(theirs / "precious") == "theirs");
  fs::remove_all(theirs);
}

TEST_CASE("a host that does not answer is not taken for one on which nothing is left") {
  const auto world = std::make_unique<World>();
  const auto gone = std::make_unique<GivenHost>();
  world->lab.nodes[1] = node_at(*gone, "tam", Role::directory);
  REQUIRE(world->open()->create(world->site, world->lab.nodes[1], contract::accept, contract::soon()));
  kill(gone->sshd.process().pid, SIGKILL);
  const auto found = contract::left(*world);
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == "tam");
  CHECK(found[0].what.find(", perhaps: ") != std::string::npos);
  const auto destroyed = world->open()->destroy(world->site, contract::named("tam"), contract::soon());
  REQUIRE(!destroyed);
  CHECK(destroyed.error().remedy.find("run `lab down` again then") != std::string::npos);
  ssh::forget(world->site.state, "tam");
}
