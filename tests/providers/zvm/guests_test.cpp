// Guests through their whole life, against the stand-in.
#include "providers/zvm/guest_record.hpp"
#include "zvm_world.hpp"

using zvm_test::World;
using namespace lab;
using namespace lab::providers;

namespace {

std::vector<std::string> calls_of(const Result<std::vector<Step>, Errors>& steps) {
  std::vector<std::string> calls;
  for (const Step& step : *steps) {
    calls.insert(calls.end(), step.calls.begin(), step.calls.end());
  }
  return calls;
}

// What differs is only known when Feilong has answered: where it keeps the config drive.
std::vector<std::string> comparable(std::vector<std::string> calls) {
  for (std::string& call : calls) {
    if (const std::size_t at = call.find("\"transportfiles\":"); at != std::string::npos) {
      call.resize(at);
    }
  }
  std::erase_if(calls, [](const std::string& call) { return call.starts_with("POST /token"); });
  std::sort(calls.begin(), calls.end());
  return calls;
}

}  // namespace

TEST_CASE("a guest is created, deployed with its keys, put on its virtual switch, started") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  const standin::Guest guest = world.guest("LINUX1");
  CHECK(guest.on);
  CHECK(guest.image == "rhel8");
  CHECK(guest.defined == 2);
  CHECK(guest.max_cpus == 4);
  CHECK(guest.memory_mb == 2048);
  CHECK(guest.disks == std::vector<std::string>{R"({"size":"10g","is_boot_disk":true})"});
  CHECK(guest.address == "10.1.0.5");
  CHECK(guest.nics == std::map<std::string, std::string>{{"1000", "VSW1"}});
  CHECK(world.server.with([](standin::Hypervisor& there) { return there.vswitches.at("VSW1"); }) == std::set<std::string>{"LINUX1"});
  CHECK(node->node.address == "10.1.0.5");
  CHECK(node->node.ssh_user == "root");
  CHECK(node->node.machine == "LP05");
  CHECK(node->node.directory.starts_with("/root/.lab-mainframe-"));
}

TEST_CASE("what plan prints is what up asks, call by call") {
  World world;
  world.lab.feilong.disk_pool = "ECKD:POOL1";
  const auto steps = world.open()->plan(world.site, {});
  REQUIRE(steps);
  CHECK(steps->front().detail.starts_with("guest LINUX1, 2 CPUs, 2048 MB, image rhel8, 10.1.0.5"));
  world.server.forget_journal();
  REQUIRE(world.open()->plan(world.site, {}));  // up looks first
  REQUIRE(world.raise(0));
  REQUIRE(world.raise(1));
  CHECK(comparable(world.server.journal()) == comparable(calls_of(steps)));
  const auto standing = world.open()->plan(world.site, {});
  REQUIRE(standing);
  CHECK(standing->front().action == "keep");
  world.server.forget_journal();
  REQUIRE(world.open()->plan(world.site, {}));
  REQUIRE(world.raise(0));
  REQUIRE(world.raise(1));
  CHECK(comparable(world.server.journal()) == comparable(calls_of(standing)));
}

TEST_CASE("whatever call a connection breaks off at, the guest stands in the end and is there once") {
  for (const char* call :
       {"POST /guests ", "PUT /files", R"(POST /guests/LINUX1/action {"action":"deploy")", "POST /guests/LINUX1/interface",
        "PUT /guests/LINUX1/nic/1000", "PUT /vswitches/VSW1", R"(POST /guests/LINUX1/action {"action":"start")"}) {
    for (const standin::Fault fault : {standin::Fault::cut_first, standin::Fault::cut_after}) {
      INFO(call << (fault == standin::Fault::cut_first ? ", before" : ", after"));
      World world;
      world.server.misbehave({fault, call, 1});
      const auto node = world.raise();
      REQUIRE(node);
      CHECK(world.guest("LINUX1").on);
      CHECK(world.guest("LINUX1").nics.size() == 1);
    }
  }
}

TEST_CASE("a guest that was left half-created is finished by the next up, from where it was") {
  for (const char* call : {"PUT /files", R"(POST /guests/LINUX1/action {"action":"deploy")", "POST /guests/LINUX1/interface",
                           "PUT /guests/LINUX1/nic/1000", "PUT /vswitches/VSW1", R"(POST /guests/LINUX1/action {"action":"start")"}) {
    INFO(call);
    World world;
    world.server.misbehave({standin::Fault::cut_first, call, 2});  // once more than it is tried
    REQUIRE(!world.raise());
    const auto steps = world.open()->plan(world.site, {});
    REQUIRE(steps);
    CHECK(steps->front().action == "repair");
    CHECK(steps->front().detail.starts_with("half-created: "));
    world.server.forget_journal();
    REQUIRE(world.raise());
    CHECK(world.asked("POST /guests ") == 0);
    CHECK(world.guest("LINUX1").on);
  }
}

TEST_CASE("a guest that was left half-created is removed by down") {
  for (const char* call :
       {"POST /guests ", "PUT /files", "POST /guests/LINUX1/interface", R"(POST /guests/LINUX1/action {"action":"start")"}) {
    INFO(call);
    World world;
    world.server.misbehave({standin::Fault::cut_after, call, 2});
    REQUIRE(!world.raise());
    REQUIRE(world.destroy());
    CHECK_FALSE(world.has_guest("LINUX1"));
    CHECK(contract::left(world).empty());
  }
}

TEST_CASE("guests are found and removed by their label when the state is lost") {
  World world;
  REQUIRE(world.raise(0));
  REQUIRE(world.raise(1));
  std::filesystem::remove_all(world.site.state / "guests");
  const auto found = contract::left(world);
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "guest LINUX1 of z/VM, at " + world.server.url());
  for (const auto& thing : found) {
    REQUIRE(world.open()->destroy(world.site, contract::named(thing.node), contract::soon()));
  }
  CHECK_FALSE(world.has_guest("LINUX1"));
  CHECK_FALSE(world.has_guest("LINUX2"));
}

TEST_CASE("a guest of this lab of which nothing is written down any more is made anew by up") {
  World world;
  REQUIRE(world.raise());
  std::filesystem::remove_all(world.site.state / "guests");
  REQUIRE(world.raise());
  CHECK(world.asked("DELETE /guests/LINUX1") == 1);
  CHECK(world.guest("LINUX1").on);
  CHECK(world.guest("LINUX1").address == "10.1.0.5");
}

TEST_CASE("a label survives z/VM's upper case and a long name") {
  const std::string state = "/state", node = std::string(63, 'n');
  const std::string label = zvm::label_of("lab", state, node);
  CHECK(label.size() <= 61);
  std::string shouted = "* " + label + "   ";
  for (char& c : shouted) {
    c = static_cast<char>(std::toupper(c));
  }
  const auto found = zvm::labelled_node({"USER LINUX1", shouted}, "lab", state);
  REQUIRE(found);
  CHECK(zvm::names_node(*found, node));
  CHECK_FALSE(zvm::names_node(*found, std::string(62, 'n') + "m"));
  CHECK_FALSE(zvm::labelled_node({shouted}, "other", state));
}

TEST_CASE("another's guest of that name is neither used nor removed") {
  World world;
  world.server.with([](standin::Hypervisor& there) { there.guests["LINUX1"].comments = {"of the payroll"}; });
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors[0]) ==
        "guest LINUX1 exists, and not for this lab\n  at node webseal\n  give the node another `userid`, or name the guest by `host`");
  REQUIRE(!world.raise());
  REQUIRE(world.destroy());
  CHECK(world.has_guest("LINUX1"));
  CHECK(contract::left(world).empty());
}

TEST_CASE("what is missing beforehand is told for all nodes at once") {
  World world;
  world.lab.nodes[0].guest.image = "sles15";
  world.lab.nodes[1].guest.vswitch = "VSW9";
  auto errors = world.plan_errors();
  REQUIRE(errors.size() == 2);
  std::sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) { return a.what < b.what; });
  CHECK(to_string(errors[0]) ==
        "Feilong has no image sles15\n  at node webseal\n  import it first: POST /images; docs/zvm.md has what an image needs");
  CHECK(to_string(errors[1]) ==
        "z/VM has no virtual switch VSW9; it has: VSW1\n  at node tam\n  have it defined first, with a real network "
        "device behind it, or name another one");
  CHECK(world.asked("POST /guests") == 0);
}

TEST_CASE("a guest that does not let the lab in is waited for, then said to") {
  World world;
  world.unreachable = 3;
  REQUIRE(world.raise());
  using namespace std::chrono_literals;
  CHECK(world.pauses == std::vector<std::chrono::nanoseconds>{1s, 2s, 4s});
  world.pauses.assign(999, 1s);
  world.unreachable = 1000;
  const auto never = world.raise(1);
  REQUIRE(!never);
  CHECK(to_string(never.error()) ==
        "guest LINUX2 has started, and does not let the lab in: connection refused\n  at node tam\n  look at its console, and whether "
        "zvmguestconfigure and cloud-init of its image read the config drive: docs/zvm.md");
}

TEST_CASE("without a Feilong nothing is created, and the error says where it is written") {
  World world;
  world.lab.feilong = {};
  const auto errors = world.plan_errors();
  REQUIRE(errors.size() == 1);
  CHECK(to_string(errors[0]) ==
        "no Feilong is known that could create the guest\n  at node webseal\n  write `feilong: {url: "
        "http://zvm.example:8080}` into the lab file, or set LAB_FEILONG_URL");
}

TEST_CASE("the admin token is in no file of the lab's state") {
  World world("very-secret-token");
  REQUIRE(world.raise());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.site.state)) {
    if (entry.is_regular_file()) {
      CHECK(test::read_file(entry.path()).find("very-secret-token") == std::string::npos);
    }
  }
}
