#include "run/pairs.hpp"

#include "fixtures.hpp"
#include "run/pair_setup.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace lab;
using namespace lab::run;

namespace {

struct Matrix {
  Standing standing = test::standing();
  Playbook playbook = test::playbook();
  AaPairs aa = AaPairs::each;

  std::vector<std::string> comparisons(const std::vector<std::string>& only) const {
    std::vector<std::string> texts;
    for (const Comparison& one : comparisons_of(*cells_of(playbook, playbook.profiles[0], only), playbook, aa, standing)) {
      texts.push_back(one.kind + (one.quota ? " by quota" : "") + ": " + one.sides.front() +
                      (one.sides.size() > 1 && one.sides[1] != one.sides[0] ? " | " + one.sides[1] : ""));
    }
    return texts;
  }
  void claim(Claim::Kind kind, std::vector<Quantity> rising, Selector of = {}, Selector to = {}) {
    Claim one;
    one.id = "c" + std::to_string(playbook.claims.size());
    one.kind = kind;
    one.rising = std::move(rising);
    one.of = std::move(of);
    one.to = std::move(to);
    playbook.claims.push_back(std::move(one));
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("inside a scenario cells are paired along the first of log, crypto and cpus that has two values") {
  CHECK(Matrix().comparisons({"2/*"}) ==
        Texts{"pair: 2/page=5.8KB/crypto=software/cpus=1/clients=8 | 2/page=5.8KB/crypto=hardware/cpus=1/clients=8",
              "pair: 2/page=5.8KB/crypto=software/cpus=1/clients=10 | 2/page=5.8KB/crypto=hardware/cpus=1/clients=10",
              "aa: 2/page=5.8KB/crypto=software/cpus=1/clients=8"});
  CHECK(Matrix().comparisons({"1/*clients=8"}) == Texts{"pair by quota: 1/page=5.8KB/cpus=1/clients=8 | 1/page=5.8KB/cpus=2/clients=8",
                                                        "aa by quota: 1/page=5.8KB/cpus=1/clients=8"});
}

TEST_CASE("of three values each is paired with the first") {
  CHECK(Matrix().comparisons({"1-log/*"}) == Texts{"pair: 1-log/page=5.8KB/clients=8/log=file | 1-log/page=5.8KB/clients=8/log=own-disk",
                                                   "pair: 1-log/page=5.8KB/clients=8/log=file | 1-log/page=5.8KB/clients=8/log=null",
                                                   "aa: 1-log/page=5.8KB/clients=8/log=file"});
}

TEST_CASE("a cell in no pair is measured singly") {
  CHECK(Matrix().comparisons({"1/*cpus=1*"}) == Texts{"single: 1/page=5.8KB/cpus=1/clients=8", "single: 1/page=5.8KB/cpus=1/clients=10"});
}

TEST_CASE("cells of an open loop are measured singly: no slice would be a rate") {
  Matrix matrix;
  for (Scenario& scenario : matrix.playbook.scenarios) {
    scenario.rate = 100;
  }
  CHECK(matrix.comparisons({"1/*clients=8"}) == Texts{"single: 1/page=5.8KB/cpus=1/clients=8", "single: 1/page=5.8KB/cpus=2/clients=8"});
}

TEST_CASE("each way of switching has an A/A pair, unless one is to do for all") {
  Matrix m;
  const auto count = [&] {
    const Texts texts = m.comparisons({"1/*clients=8", "2/*clients=8"});
    return std::count_if(texts.begin(), texts.end(), [](const std::string& text) { return text.starts_with("aa"); });
  };
  CHECK(count() == 2);
  m.aa = AaPairs::one;
  CHECK(count() == 1);
}

TEST_CASE("a claim on a ratio across scenarios adds a pair for each of its verdicts, `to` first") {
  Matrix m;
  m.claim(Claim::Kind::ratio, {}, {{"scenario", "2"}, {"crypto", "hardware"}}, {{"scenario", "1"}});
  const Texts texts = m.comparisons({"1/*cpus=1*", "2/*hardware*"});
  CHECK(texts == Texts{"pair: 1/page=5.8KB/cpus=1/clients=8 | 2/page=5.8KB/crypto=hardware/cpus=1/clients=8",
                       "pair: 1/page=5.8KB/cpus=1/clients=10 | 2/page=5.8KB/crypto=hardware/cpus=1/clients=10",
                       "aa: 1/page=5.8KB/cpus=1/clients=8"});
}

TEST_CASE("a claim on a ratio inside a scenario adds none: its cells stand in a pair already, or can't be switched") {
  Matrix m;
  m.claim(Claim::Kind::ratio, {}, {{"scenario", "1"}, {"clients", "10"}}, {{"scenario", "1"}, {"clients", "8"}});
  CHECK(m.comparisons({"1/*cpus=1*"}).size() == 2);
}

TEST_CASE("a claim on an order across scenarios adds a pair for its steps, once") {
  Matrix m;
  m.claim(Claim::Kind::order, {{{{"scenario", "2"}, {"crypto", "hardware"}}, {}, ""}, {{{"scenario", "1"}}, {}, ""}});
  const Texts texts = m.comparisons({"1/*cpus=1*", "2/*hardware*"});
  CHECK(std::count_if(texts.begin(), texts.end(), [](const std::string& text) { return text.starts_with("pair"); }) == 1);
}

TEST_CASE("pairs that the playbook asks for are added, those that stand already are not added again") {
  Matrix m;
  m.playbook.pairs = {{{{"scenario", "1"}}, {{"scenario", "2"}, {"crypto", "software"}}},
                      {{{"scenario", "2"}, {"crypto", "hardware"}}, {{"scenario", "2"}, {"crypto", "software"}}}};
  const Texts texts = m.comparisons({"1/*cpus=1/clients=8", "2/*clients=8"});
  CHECK(texts == Texts{"pair: 2/page=5.8KB/crypto=software/cpus=1/clients=8 | 2/page=5.8KB/crypto=hardware/cpus=1/clients=8",
                       "pair: 1/page=5.8KB/cpus=1/clients=8 | 2/page=5.8KB/crypto=software/cpus=1/clients=8",
                       "aa: 2/page=5.8KB/crypto=software/cpus=1/clients=8"});
}

TEST_CASE("the sides of a pair stand beside each other: names, ports, logs; their drivers know both") {
  const Standing standing = test::standing();
  test::FakeLab lab;
  const Facts facts = lab.bench(standing).facts;
  const auto pair = set_up_pair(test::cell("1/page=5.8KB/cpus=1/clients=8"), test::cell("2/page=5.8KB/crypto=hardware/cpus=1/clients=8"),
                                false, standing, facts, {});
  REQUIRE(pair);
  const Setup &a = pair->sides[0], &b = pair->sides[1];
  CHECK(a.role == "gateway.a");
  CHECK(b.role == "gateway.b");
  CHECK(a.config.service.plain.front().port == 8080);
  CHECK(b.config.service.plain.front().port == 8081);
  CHECK(b.config.service.tls.front().port == 8444);
  CHECK(a.config.logs.request == "/state/webseal/logs/request.log.a");
  CHECK(b.config.logs.request == "/state/webseal/logs/request.log.b");
  REQUIRE(pair->drivers.size() == 2);
  const LoadConfig& load = pair->drivers[1].load;
  CHECK(load.url == "http://127.1.0.3:8080/app/page/5.8KB");
  CHECK(load.login == LoginMode::none);
  CHECK(load.against->url == "https://127.1.0.3:8444/app/page/5.8KB");
  CHECK(load.against->login == LoginMode::once);
  CHECK(load.against->ciphers == "ECDHE-RSA-AES128-GCM-SHA256");
  CHECK(load.generated_users == 500U);
  const auto same =
      set_up_pair(test::cell("1/page=5.8KB/cpus=1/clients=8"), test::cell("1/page=5.8KB/cpus=2/clients=8"), true, standing, facts, {});
  CHECK_FALSE(same->drivers[0].load.against->ciphers.has_value());
  CHECK(load.first_user == 501);
  CHECK(load.ca == "/state/client2/certs/ca.pem");
}
