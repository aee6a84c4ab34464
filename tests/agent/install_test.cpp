// Which binary a node gets, on a remote that only remembers.
#include "agent/client.hpp"
#include "elf_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <vector>

using lab::Clock;
using lab::Deadline;
using lab::Error;
using lab::Result;
using lab::StandingNode;
namespace agent = lab::agent;
namespace remote = lab::remote;
namespace fs = std::filesystem;

namespace {

class RememberingRemote final : public remote::Remote {
 public:
  explicit RememberingRemote(std::string architecture, std::string more = {}) : answer_(std::move(architecture) + "\n" + std::move(more)) {}

  Result<remote::Output> exec(const std::string& command, std::string_view, Deadline) override {
    commands.push_back(command);
    return remote::Output{0, command.starts_with("uname -m") ? answer_ : "", ""};
  }
  Result<bool> upload(const fs::path& from, const std::string& to, int, Deadline) override {
    uploads.emplace_back(from, to);
    return true;
  }
  Result<void> download(const std::string&, const fs::path&, Deadline) override { return Error{"nothing to download here", ""}; }
  Result<std::unique_ptr<remote::Channel>> open(const std::string&, Deadline) override { return Error{"no channels here", ""}; }
  void close(Deadline) override {}

  std::vector<std::string> commands;
  std::vector<std::pair<fs::path, std::string>> uploads;

 private:
  std::string answer_;
};

StandingNode guest() {
  StandingNode node;
  node.name = "guest1";
  node.directory = "/root/lab";
  return node;
}

}  // namespace

TEST_CASE("a node of another architecture is pushed the binary for it, under the name of this build") {
  const TemporaryFolder folder;
  const auto binary = elf_file(folder / "lab-aarch64", EM_AARCH64, ELFDATA2LSB);
  RememberingRemote remote("aarch64");
  REQUIRE(agent::install(remote, guest(), remote::Binaries(folder / "lab"), "build1", Clock::now() + std::chrono::seconds(5)));
  REQUIRE(remote.uploads.size() == 1);
  CHECK(remote.uploads.front() == std::pair<fs::path, std::string>(binary, "/root/lab/bin/lab-build1"));
}

TEST_CASE("a node with crypto adapters is pushed the dynamically linked build, too, where there is one") {
  const TemporaryFolder folder;
  elf_file(folder / "lab-aarch64", EM_AARCH64, ELFDATA2LSB);
  const remote::Binaries binaries(folder / "lab");
  const auto uploads = [&](const std::string& cards) {
    RememberingRemote remote("aarch64", cards);
    REQUIRE(agent::install(remote, guest(), binaries, "build1", Clock::now() + std::chrono::seconds(5)));
    return remote.uploads;
  };
  CHECK(uploads("/sys/devices/ap/card02\n").size() == 1);
  const auto dynamic = elf_file(folder / "lab-aarch64-dynamic", EM_AARCH64, ELFDATA2LSB);
  CHECK(uploads("").size() == 1);
  const auto both = uploads("/sys/devices/ap/card02\n");
  REQUIRE(both.size() == 2);
  CHECK(both[1] == std::pair<fs::path, std::string>(dynamic, "/root/lab/bin/lab-build1-dynamic"));
}

TEST_CASE("without a binary for a node's architecture nothing is pushed and nothing is started") {
  RememberingRemote remote("aarch64");
  const auto done = agent::install(remote, guest(), remote::Binaries("/opt/lab"), "build1", Clock::now() + std::chrono::seconds(5));
  REQUIRE(done.has_error());
  CHECK(to_string(done.error()) ==
        "the node is aarch64, and there is no binary of lab for it: /opt/lab-aarch64 is missing\n"
        "  at node guest1\n"
        "  put one of the same build there, or name it: lab up --agent-binary aarch64=PATH");
  CHECK(remote.uploads.empty());
  CHECK(remote.commands.size() == 1);
}
