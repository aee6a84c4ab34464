#include "run/matrix.hpp"

#include "fixtures.hpp"
#include "run/plan.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::run;

namespace {

std::vector<std::string> ids(const std::vector<Cell>& cells) {
  std::vector<std::string> all;
  for (const Cell& cell : cells) {
    all.push_back(cell.id);
  }
  return all;
}

std::vector<std::string> ids(const std::string& profile, const std::vector<std::string>& only) {
  const Playbook playbook = test::playbook();
  const auto cells = cells_of(playbook, *playbook.profile(profile), only);
  REQUIRE(cells);
  return ids(*cells);
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("cells are named by scenario and axes in file order, the last axis varying fastest") {
  CHECK(ids("all", {"2/*"}) == Ids{"2/page=5.8KB/crypto=software/cpus=1/clients=8", "2/page=5.8KB/crypto=software/cpus=1/clients=10",
                                   "2/page=5.8KB/crypto=hardware/cpus=1/clients=8", "2/page=5.8KB/crypto=hardware/cpus=1/clients=10"});
  CHECK(ids("all", {}).size() == 14);
}

TEST_CASE("a profile narrows axes, but not those that a scenario keeps, nor to nothing") {
  CHECK(ids("narrow", {"2/*software*"}) == Ids{"2/page=5.8KB/crypto=software/cpus=1/clients=8"});
  CHECK(ids("narrow", {"1/*cpus=1*"}) == Ids{"1/page=5.8KB/cpus=1/clients=8", "1/page=5.8KB/cpus=1/clients=10"});
}

TEST_CASE("several globs let in what any of them matches, in file order") {
  CHECK(ids("all", {"5/*hardware*", "1/*cpus=2/clients=8"}) ==
        Ids{"1/page=5.8KB/cpus=2/clients=8", "5/page=100B/crypto=hardware/clients=8"});
}

TEST_CASE("globs that match nothing are an error of usage") {
  const Playbook playbook = test::playbook();
  const auto cells = cells_of(playbook, playbook.profiles[0], {"9/*"});
  REQUIRE_FALSE(cells);
  CHECK(to_string(cells.error()) == "no cell of playbook p matches\n  at --only '9/*'\n  `lab run --list` prints the ids of all cells");
  CHECK(cells.error().failure == Failure::usage);
}

TEST_CASE("a star matches any text, slashes too; a question mark one character") {
  CHECK(matches_glob("*", ""));
  CHECK(matches_glob("*", "1/page=5.8KB"));
  CHECK(matches_glob("1/*=8", "1/page=5.8KB/clients=8"));
  CHECK(matches_glob("1*b*c", "1abbc"));
  CHECK(matches_glob("?/x", "1/x"));
  CHECK(matches_glob("a**", "a"));
  CHECK_FALSE(matches_glob("1/*=8", "1/page=5.8KB/clients=80"));
  CHECK_FALSE(matches_glob("1", "1-log"));
  CHECK_FALSE(matches_glob("", "1"));
  CHECK_FALSE(matches_glob("?", ""));
}

TEST_CASE("cells that cannot run here are skipped with the reason") {
  const Standing standing = test::standing();
  test::FakeLab lab;
  Facts facts = lab.bench(standing).facts;
  CHECK(why_not_here(test::cell("5/page=100B/crypto=adapter/clients=8"), standing, facts) ==
        "the node has no crypto adapter that is online: lszcrypt shows none");
  CHECK(why_not_here(test::cell("1-log/page=5.8KB/clients=8/log=own-disk"), standing, facts) ==
        "the lab gives node webseal no log-dir on a disk of its own");
  CHECK(why_not_here(test::cell("1-log/page=5.8KB/clients=8/log=null"), standing, facts).empty());

  facts["webseal"].crypto = {"avx2"};
  facts["webseal"].architecture = "riscv64";
  CHECK(why_not_here(test::cell("5/page=100B/crypto=hardware/clients=8"), standing, facts) == "the gateway's CPU has no AES instructions");
  CHECK(why_not_here(test::cell("5/page=100B/crypto=software/clients=8"), standing, facts) ==
        "no way is known to switch crypto instructions off on riscv64");

  Standing unlimited = standing;
  unlimited.cpu_method = CpuMethod::none;
  unlimited.cpu_note = "not permitted";
  CHECK(why_not_here(test::cell("1/page=5.8KB/cpus=1/clients=8"), unlimited, facts) == "CPUs cannot be limited here: not permitted");
  Standing empty;
  CHECK(why_not_here(test::cell("1/page=5.8KB/cpus=1/clients=8"), empty, facts) == "the lab has no gateway");
}

TEST_CASE("a plan holds every comparison once a block") {
  const Standing standing = test::standing();
  test::FakeLab lab;
  const Facts facts = lab.bench(standing).facts;
  const Playbook playbook = test::playbook();
  const Plan plan =
      make_plan(*cells_of(playbook, playbook.profiles[0], {"5/*", "1-log/*"}), playbook, playbook.profiles[0], standing, facts, 7);
  CHECK(plan.cells.size() == 6);
  CHECK(plan.skipped.size() == 2);
  CHECK(plan.comparisons.size() == 3);  // log, crypto, and one against itself
  CHECK(plan.trials.size() == 9);
  CHECK(estimated_time(plan) == 9 * (std::chrono::milliseconds(2300) + kTrialOverhead) + 3 * kCalibration);
}
