#include "providers/container/container.hpp"

#include "fake_engine.hpp"
#include "providers/container/addresses.hpp"
#include "providers/container/commands.hpp"
#include "providers/container/image.hpp"
#include "providers/container/limits.hpp"
#include "providers/container/needs.hpp"
#include "providers/container/occupied.hpp"
#include "providers/contract.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::providers;

namespace {

Lab small_lab() {
  Lab lab;
  lab.name = "small";
  lab.provider = ProviderKind::container;
  lab.networks = {{"dmz", 0xC6120200, 24}, {"inner", 0xC6120300, 24}};  // 198.18.2.0, 198.18.3.0
  Node gateway{"webseal", {Role::gateway}, {"dmz"}};
  gateway.cpus = 1;
  lab.nodes = {gateway, Node{"firewall", {Role::firewall}, {"dmz", "inner"}}};
  return lab;
}

void make_keys(const std::filesystem::path& state) {
  std::filesystem::create_directories(state / "keys");
  const std::string key = (state / "keys" / "id_ed25519").string();
  REQUIRE(remote::run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key}, {}, contract::soon())->exit == 0);
}

struct World : contract::Fixture {
  explicit World(container::Host host, Lab described = small_lab(), int slot = 1)
      : Fixture{[host] { return container::make_container(host); }, Site{described.name, {}, lab, 0.4, {}, slot}},
        lab(std::move(described)) {
    site.state = folder / "state of small";  // paths may hold a space
    make_keys(site.state);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    for (const Node& node : lab.nodes) {
      static_cast<void>(open()->destroy(site, contract::named(node.name), contract::soon()));
    }
  }

  TemporaryFolder folder;
  Lab lab;
};

// With its engine, which goes last.
struct FakeWorld {
  explicit FakeWorld(const std::string& program, const char* info, Lab lab = small_lab())
      : engine(program, info), world(engine.host(), std::move(lab)) {}
  fakes::FakeEngine engine;
  World world;

  long count(const std::string& command, const std::string& words) const {
    return std::count_if(engine.said.begin(), engine.said.end(),
                         [&](const std::string& line) { return line.starts_with(command) && line.find(words) != std::string::npos; });
  }
  bool said(const std::string& words) const {
    return std::any_of(engine.said.begin(), engine.said.end(),
                       [&](const std::string& line) { return line.find(words) != std::string::npos; });
  }
};

std::shared_ptr<contract::Fixture> fixture_of(const std::shared_ptr<FakeWorld>& world) { return {world, &world->world}; }

Errors plan_errors(const FakeWorld& fake) {
  const auto steps = fake.world.open()->plan(fake.world.site, {});
  return steps ? Errors{} : steps.error();
}

}  // namespace

TEST_CASE("provider container keeps the providers' contract on Podman and on Docker") {
  contract::check([] { return fixture_of(std::make_shared<FakeWorld>("podman", fakes::kPodmanInfo)); });
  contract::check([] { return fixture_of(std::make_shared<FakeWorld>("docker", fakes::kDockerInfo)); });
}

// Hidden, since it needs an engine and its image: tests/e2e/container_contract.sh runs it.
TEST_CASE("provider container keeps the providers' contract on this host's engine", "[.engine]") {
  contract::check([] {
    const auto host = container::this_host();
    int slot = container::kContainerSlots;
    while (slot > 1 && container::slot_taken(host, small_lab(), slot)) {
      --slot;
    }
    return std::make_shared<World>(host, small_lab(), slot);
  });
}

TEST_CASE("Podman and Docker are told the same, but for what only one knows") {
  FakeWorld podman("podman", fakes::kPodmanInfo), docker("docker", fakes::kDockerInfo);
  for (FakeWorld* const fake : {&podman, &docker}) {
    REQUIRE(fake->world.open()->create(fake->world.site, fake->world.lab.nodes[1], contract::accept, contract::soon()));
    CHECK(fake->said("--cap-add NET_ADMIN"));
    CHECK(fake->said("--sysctl net.ipv4.ip_forward=1"));
    CHECK(fake->said("--internal"));
    CHECK(fake->said(" --ip 198.18.2.12"));
    CHECK(fake->said(" --ip 198.18.3.12"));
    CHECK_FALSE(fake->said("--publish"));
  }
  CHECK(podman.said("--disable-dns"));
  CHECK(podman.said("--mac-address 02:4c:c6:12:00:0c"));
  CHECK_FALSE(docker.said("--disable-dns"));
  CHECK_FALSE(docker.said("--mac-address"));
  CHECK(podman.count("network create", "--internal") == 3);
  // Docker drops on internal networks what a firewall forwards from another.
  CHECK(docker.count("network create", "--internal") == 1);
  CHECK(docker.count("network create", "inhibit_ipv4=true --opt com.docker.network.bridge.enable_ip_masquerade=false") == 2);
}

TEST_CASE("a container's memory is limited where its node says so, and where the engine can") {
  Lab lab = small_lab();
  lab.nodes[0].guest.memory = std::uint64_t{256} << 20U;
  FakeWorld fake("podman", fakes::kPodmanInfo, lab);
  REQUIRE(fake.world.open()->create(fake.world.site, fake.world.lab.nodes[0], contract::accept, contract::soon()));
  CHECK(fake.said("--memory 268435456b"));

  const FakeWorld unable(
      "podman", R"({"host":{"cgroupVersion":"v2","cgroupControllers":[],"ociRuntime":{"name":"runc"},"security":{"rootless":false}}})",
      lab);
  const Errors errors = plan_errors(unable);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].what == "the engine cannot limit memory here");
  CHECK(errors[0].where == "node webseal");
}

TEST_CASE("a rootless container is reached by a port published on loopback") {
  FakeWorld fake("docker", R"({"CgroupVersion":"2","DefaultRuntime":"runc","MemoryLimit":true,"SecurityOptions":["name=rootless"]})");
  const auto made = fake.world.open()->create(fake.world.site, fake.world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(made);
  CHECK(made->node.ssh_address == "127.0.0.1");
  CHECK(made->node.ssh_port == 40022);
  CHECK(made->node.address == "198.18.2.11");
  CHECK(fake.said("--publish 127.0.0.1::22"));
  CHECK(fake.count("network create", "--internal") == 0);  // Docker publishes no ports of internal networks
}

TEST_CASE("a container that ended is to be repaired, with how it ended, and is started again") {
  FakeWorld fake("podman", fakes::kPodmanInfo);
  const auto made = fake.world.open()->create(fake.world.site, fake.world.lab.nodes[0], contract::accept, contract::soon());
  REQUIRE(made);
  fake.engine.containers.begin()->second.state = "exited";
  const auto steps = fake.world.open()->plan(fake.world.site, {*made});
  REQUIRE(steps);
  CHECK((*steps)[0].action == "repair");
  CHECK((*steps)[0].detail == "container ended with exit code 137 (killed)");
  REQUIRE(fake.world.open()->create(fake.world.site, fake.world.lab.nodes[0], contract::accept, contract::soon()));
  CHECK(fake.engine.containers.begin()->second.state == "running");
}

TEST_CASE("what is missing for containers is said beforehand, all of it, each with its remedy") {
  FakeWorld no_image("podman", fakes::kPodmanInfo);
  no_image.engine.image = false;
  const Errors missing = plan_errors(no_image);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].what == "the image " + container::image_name() + " is not there");
  CHECK(missing[0].remedy == "lab image build");

  const FakeWorld no_engine("neither", "");
  const Errors none = plan_errors(no_engine);
  REQUIRE(none.size() == 1);
  CHECK(none[0].what == "neither podman nor docker is installed");
  CHECK(none[0].remedy == "apt-get install podman runc");
}

TEST_CASE("what an ordinary user lacks for containers is said, all of it, each with its remedy") {
  container::Surroundings here;
  here.root = false;
  here.user = "anna";
  here.subuid = here.subgid = "root:100000:65536\nanna:200000:65536\n";
  CHECK(container::missing_for_rootless(here).empty());

  here.newuidmap = here.network = here.tun = false;
  here.subgid = "anna:200000:1000\n";
  here.user_namespaces = "0\n";
  const Errors missing = container::missing_for_rootless(here);
  REQUIRE(missing.size() == 5);
  CHECK(missing[1].what == "for containers without root, newuidmap is missing");
  CHECK(missing[1].remedy == "apt-get install uidmap; or run lab as root");
  CHECK(missing[2].remedy.starts_with("as root: usermod --add-subuids 200000-265535 --add-subgids 200000-265535 anna"));
  here.root = true;
  CHECK(container::missing_for_rootless(here).empty());
}

TEST_CASE("a host whose packet filter drops what Podman's bridges carry is said to, where the kernel asks the filter about bridges") {
  const char* const dockers = "table ip filter {\n\tchain FORWARD {\n\t\ttype filter hook forward priority filter; policy drop;\n\t}\n}\n";
  const auto dropped = container::check_bridges(dockers, "1\n");
  REQUIRE(!dropped);
  CHECK(dropped.error().remedy.starts_with("LAB_ENGINE=docker takes Docker instead"));
  CHECK(container::check_bridges(dockers, "0\n"));
  CHECK(container::check_bridges("", "1\n"));
}

TEST_CASE("a Docker whose daemon does not answer is no engine, whether its client says so by exit code or in its JSON") {
  const auto silent =
      container::read_facts(container::EngineKind::docker,
                            R"({"ServerErrors":["Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"]})", "");
  REQUIRE(!silent);
  CHECK(silent.error().what == "Docker's daemon does not answer");
  CHECK(silent.error().remedy == "as root: service docker start; where it is not installed: apt-get install docker.io");
  const FakeWorld failing("docker", "permission denied while trying to connect");
  const Errors errors = plan_errors(failing);
  REQUIRE_FALSE(errors.empty());
  CHECK(errors[0].what == "this user may not speak to Docker's daemon");
}

TEST_CASE("a runtime that refuses mixed control groups is replaced by one that takes them") {
  const char* const mixed =
      "30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 1 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  const char* const pure = "31 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  const char* const crun = R"({"host":{"ociRuntime":{"name":"crun"},"cgroupVersion":"v1","security":{"rootless":false}}})";
  const auto refused = container::read_facts(container::EngineKind::podman, crun, mixed);
  const auto fine = container::read_facts(container::EngineKind::podman, crun, pure);
  REQUIRE(refused);
  REQUIRE(fine);
  CHECK(refused->runtime == "runc");
  CHECK(fine->runtime.empty());
  auto bare = container::this_host();
  bare.find_program = [](const std::string&) { return std::optional<std::string>(); };
  const auto checked = container::check_runtime(*refused, bare);
  REQUIRE(!checked);
  CHECK(checked.error().remedy == "apt-get install runc: lab then uses it");
}

TEST_CASE("networks of a second lab move on, fixed addresses with them, and others stay") {
  Lab lab = small_lab();
  lab.networks.push_back({"far", 0x0A010000, 16});  // 10.1.0.0
  lab.nodes[0].networks = {"dmz", "far"};
  lab.nodes[0].address = "198.18.2.99";
  const auto first = container::addresses_of(lab, lab.nodes[0], 1), second = container::addresses_of(lab, lab.nodes[0], 2);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->at("dmz") == "198.18.2.99");
  CHECK(second->at("dmz") == "198.18.18.99");
  CHECK(second->at("far") == "10.1.0.11");
  CHECK(container::format_cidr(container::addresses_of(lab, 2).management) == "198.18.16.0/24");
  CHECK(container::format_cidr(container::addresses_of(lab, container::kContainerSlots).management) == "198.19.240.0/24");
}

TEST_CASE("a slot is taken where a network of the engine or a route of the host is in the way") {
  const auto podman = container::subnets_in(R"([{"name":"x","subnets":[{"subnet":"198.18.2.0/24","gateway":"198.18.2.1"}]}])");
  const auto docker = container::subnets_in(R"([{"Name":"x","IPAM":{"Config":[{"Subnet":"198.18.0.0/20"}]}},{"IPAM":{"Config":[]}}])");
  REQUIRE(podman.size() == 1);
  REQUIRE(docker.size() == 1);
  CHECK(container::overlap(podman[0], docker[0]));
  const auto routes = container::routes_in(
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
      "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\neth0\t000212C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\n");
  REQUIRE(routes.size() == 1);
  CHECK(container::format_cidr(routes[0]) == "198.18.2.0/24");
}

TEST_CASE("a container's control group is the one that names it") {
  const char* const v1 =
      "30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 1 0:27 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n";
  const auto own = container::cgroup_of(v1, "2:cpuacct:/libpod_parent/libpod-abc\n1:cpu:/libpod_parent/libpod-abc\n", "abc");
  REQUIRE(own);
  CHECK(own->cpu == "/sys/fs/cgroup/cpu/libpod_parent/libpod-abc");
  CHECK(own->cpuacct == "/sys/fs/cgroup/cpuacct/libpod_parent/libpod-abc");
  CHECK_FALSE(container::cgroup_of(v1, "2:cpuacct:/\n1:cpu:/\n", "abc"));
  const char* const v2 = "31 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  const auto outer = container::cgroup_of(v2, "0::/machine.slice/libpod-abc.scope/container\n", "abc");
  REQUIRE(outer);
  CHECK(outer->cpu == "/sys/fs/cgroup/machine.slice/libpod-abc.scope");
}

TEST_CASE("an image that is made again takes the place of the one before, which has lost its name and is removed with older recipes") {
  FakeWorld fake("podman", fakes::kPodmanInfo);
  fake.engine.images["localhost/lab-node:0123456789ab"] = "old";
  fake.engine.images["localhost/mine:1"] = "old";  // Podman lists it, too
  auto host = fake.engine.host();
  host.find_program = [find = host.find_program](const std::string& name) {
    return name == "mmdebstrap" ? std::optional<std::string>("/bin/true") : find(name);
  };
  const auto engine = container::Engine::find(host);
  REQUIRE(engine);
  const auto build = [&](bool again) {
    return container::build_image(*engine, host, {"", again, [](const std::string&) {}}, contract::soon());
  };
  fake.engine.image = false;
  REQUIRE(build(false));
  fake.engine.image = true;
  CHECK_FALSE(build(false)->made);
  CHECK(build(true)->made);
  REQUIRE(fake.engine.nameless.size() == 1);
  CHECK(fake.said("import --change LABEL lab.image=node"));
  const auto outdated = container::outdated_images(*engine, contract::soon());
  REQUIRE(outdated);
  CHECK(*outdated == std::vector<std::string>{"localhost/lab-node:0123456789ab", *fake.engine.nameless.begin()});
}

TEST_CASE("the image's name is of its recipe, and an image of others is given only what it lacks") {
  CHECK(container::image_name().starts_with("localhost/lab-node:"));
  const std::string file = container::containerfile("debian:12");
  CHECK(file.starts_with("FROM debian:12\n"));
  for (const std::string& package : container::image_packages()) {
    CHECK(file.find(package) != std::string::npos);
  }
}
