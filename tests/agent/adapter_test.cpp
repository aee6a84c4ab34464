// Roles that use a crypto adapter, on a machine whose files are the test's: its cards are a folder, its provider is made for tests.
#include "agent/adapter.hpp"
#include "agent_test.hpp"
#include "remote/binaries.hpp"

#include <catch2/catch.hpp>

namespace agent = lab::agent;
namespace json = boost::json;
namespace fs = std::filesystem;
using lab::test::TestAgent;
using lab::test::write_file;

namespace {

constexpr const char* kNoCard = "the node has no crypto adapter that is online: lszcrypt shows none";

class Machine {
 public:
  const fs::path& root() const { return folder_.path(); }
  fs::path program() const { return root() / "lab"; }

  void card(const std::string& name, const std::string& online) const {
    fs::create_directories(root() / "sys/devices/ap" / name);
    write_file(root() / "sys/devices/ap" / name / "online", online + "\n");
  }
  // By a link, so that it can be one in the build's folder.
  void provider(const fs::path& file) const {
    fs::create_directories(root() / "usr/lib64/ossl-modules");
    fs::create_symlink(file, root() / "usr/lib64/ossl-modules/ibmca-provider.so");
  }
  void programs(const fs::path& one, const fs::path& dynamic) const {
    fs::create_symlink(one, program());
    fs::create_symlink(dynamic, lab::remote::dynamic_build_of(program()));
  }

 private:
  lab::test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("what a node lacks to use a crypto adapter is told") {
  const Machine machine;
  const agent::Adapter adapter(machine.program(), machine.root());
  CHECK(adapter.why_not() == kNoCard);
  machine.card("card02", "0");
  machine.card("02.0005", "1");  // a queue
  CHECK(adapter.why_not() == kNoCard);
  machine.card("card03", "1");
  CHECK(adapter.why_not() == "the node's OpenSSL has no provider ibmca: install openssl-ibmca there");
  machine.provider("/dev/null");
  CHECK(adapter.why_not() ==
        "the node has no dynamically linked build of lab: put it beside the other, with -dynamic after its name, and run `lab up` again");
  machine.programs("/bin/true", "/bin/true");
  CHECK(adapter.why_not().empty());
}

TEST_CASE("a role that cannot use a crypto adapter is not started") {
  const Machine machine;
  const TestAgent node("/bin/false", machine.root());
  CHECK(node.result("hello", {{"protocol", 1}}).at("adapter") == kNoCard);
  CHECK(node.error("role.start", {{"name", "gateway"}, {"role", "gateway"}, {"adapter", true}}).what ==
        std::string("role gateway cannot use a crypto adapter: ") + kNoCard);
}

#ifdef LAB_TEST_PROVIDER
TEST_CASE("only the role that is to use a crypto adapter loads its provider") {
  const Machine machine;
  machine.card("card03", "1");
  machine.provider(LAB_TEST_PROVIDER);
  machine.programs(LAB_BINARY, lab::remote::dynamic_build_of(LAB_BINARY));
  const TestAgent node(machine.program(), machine.root());
  const auto providers = [&](const std::string& name, bool adapter) {
    const json::object order{{"name", name}, {"role", "pages"}, {"config", {{"http", {"127.0.0.1:0"}}}}, {"adapter", adapter}};
    return node.result("role.start", order).at("ready").at("openssl_providers").as_array();
  };
  CHECK(providers("with", true) == json::array{"default", "ibmca"});
  CHECK(providers("without", false) == json::array{"default"});
}
#endif
