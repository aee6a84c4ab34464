#include "memory_provider.hpp"
#include "orchestrator/nodes.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;

namespace {

class Recorder final : public Agents {
 public:
  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params, Deadline) override {
    calls.push_back(node + " " + std::string(method) + " " + boost::json::serialize(params));
    return boost::json::value(boost::json::object());
  }
  std::vector<std::string> calls;
};

// What the agent is told while the provider limits the node to so many host CPUs.
std::vector<std::string> told(const providers::CpuLimit& limit, std::optional<double> host_cpus) {
  const Lab lab;
  fakes::MemoryHost host;
  host.limit = limit;
  fakes::MemoryProvider provider(host);
  Recorder agents;
  providers::NodeRecord record;
  record.node.name = "webseal";
  REQUIRE(orchestrator::limit_node(provider, agents, {"small", "/state", lab}, record, host_cpus, Clock::now() + std::chrono::seconds(5)));
  return agents.calls;
}

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("a provider that limits a node itself needs no agent for it") { CHECK(told({CpuMethod::quota, ""}, 0.4).empty()); }

TEST_CASE("where the provider cannot, the agent stops and continues") {
  CHECK(told({CpuMethod::stop_continue, "no quota here"}, 0.4) == Calls{R"(webseal cpu.limit {"cpus":4E-1})"});
  CHECK(told({CpuMethod::stop_continue, "no quota here"}, std::nullopt) == Calls{R"(webseal cpu.limit {"cpus":null})"});
}

TEST_CASE("whole CPUs of a guest lift what the agent held it to before") {
  CHECK(told({CpuMethod::quota, "", true}, 2) == Calls{R"(webseal cpu.limit {"cpus":null})"});
}
