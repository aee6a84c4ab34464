#include "config/config.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace std::chrono_literals;

namespace {

Playbook built_in_playbook() { return config::load_playbook("webseal-2007").value(); }

const Scenario& scenario(const Playbook& playbook, const std::string& id) {
  for (const Scenario& one : playbook.scenarios) {
    if (one.id == id) {
      return one;
    }
  }
  throw std::logic_error("no scenario " + id);
}

const Claim& claim(const Playbook& playbook, const std::string& id) {
  for (const Claim& one : playbook.claims) {
    if (one.id == id) {
      return one;
    }
  }
  throw std::logic_error("no claim " + id);
}

// A playbook of one scenario, and the rest of its text.
Result<Playbook, Errors> playbook_of(const std::string& rest) {
  return config::parse_playbook(
      "playbook: p\n"
      "profiles: {quick: {measure: 1s}}\n"
      "scenarios:\n"
      "  - {id: base, client: https, junction: {point: /a, type: tcp, servers: [was], identity: iv-user}, auth: once,\n"
      "     tls: {handshake: once, cipher: C}, axes: {page: [1KB], cpus: [1], clients: [1, 2]}, keep: [clients]}\n" +
          rest,
      "p.yaml");
}

}  // namespace

TEST_CASE("the built-in playbook is the study's matrix") {
  const Playbook playbook = built_in_playbook();
  CHECK(playbook.name == "webseal-2007");
  CHECK(playbook.profile("quick")->warmup == 300ms);
  CHECK(playbook.profile("quick")->measure == 2s);
  CHECK(playbook.profile("quick")->repeats == 6);
  CHECK(playbook.profile("quick")->aa == AaPairs::one);
  CHECK(playbook.profile("quick")->axes == std::vector<AxisValues>{{"clients", {"8"}}});
  CHECK(playbook.profile("paper")->repeats == 20);
  CHECK(playbook.profile("none") == nullptr);

  std::vector<std::string> ids;
  for (const Scenario& one : playbook.scenarios) {
    ids.push_back(one.id);
    CHECK_FALSE(one.title.empty());
  }
  CHECK(ids == std::vector<std::string>{"1", "1-log", "2", "3", "4", "5"});
  CHECK(scenario(playbook, "1-log").axes ==
        std::vector<AxisValues>{{"page", {"5.8KB"}}, {"cpus", {"2"}}, {"clients", {"8", "10"}}, {"log", {"file", "own-disk", "null"}}});
  CHECK(scenario(playbook, "1-log").keep == std::vector<std::string>{"clients"});

  const Scenario& three = scenario(playbook, "3");
  CHECK(three.https);
  CHECK(three.junction == JunctionPlan{"/ivload/tcp-jct-wasserver", JunctionType::tcp, {"was"}, {true, true, true}});
  CHECK(three.axes ==
        std::vector<AxisValues>{{"page", {"5.8KB"}}, {"crypto", {"software", "hardware"}}, {"cpus", {"1", "2"}}, {"clients", {"8", "10"}}});

  const Scenario& five = scenario(playbook, "5");
  CHECK(five.junction == JunctionPlan{"/", JunctionType::local, {}, {}});
  CHECK(five.login == LoginMode::every);
  CHECK(five.tls.handshake == HandshakeMode::full);
  CHECK(five.tls.version == TlsVersion::tls1_2);
  CHECK(five.tls.cipher == "ECDHE-RSA-AES128-GCM-SHA256");
  CHECK(scenario(playbook, "4").notes.find("triple DES") != std::string::npos);
}

TEST_CASE("the built-in playbook holds every claim of the study") {
  const Playbook playbook = built_in_playbook();
  for (const char* id :
       {"scale-8",      "scale-10",    "clients-2cpu", "gateway-busy", "idle-others",   "log-grows",   "log-8",       "log-10",
        "ssl-cost",     "hw-gain-5k8", "hw-vs-plain",  "hw-gain-2m9",  "hw-gain-grows", "page-size",   "cpu-bound-1", "clients-2cpu-ssl",
        "backend-busy", "lpar-half",   "overcommit",   "log-disk",     "ssl-junction",  "handshake-hw"}) {
    CAPTURE(id);
    CHECK_FALSE(claim(playbook, id).says.empty());
  }
  const Claim& cost = claim(playbook, "ssl-cost");
  CHECK(cost.kind == Claim::Kind::ratio);
  CHECK(cost.of == Selector{{"scenario", "2"}, {"page", "5.8KB"}, {"crypto", "software"}});
  CHECK(cost.to == Selector{{"scenario", "1"}});
  CHECK(cost.published == 0.65);
  CHECK(cost.tolerance == 0.1);
  CHECK(claim(playbook, "hw-gain-2m9").metric == Claim::Metric::pages_per_s_per_client);
  CHECK(claim(playbook, "hw-vs-plain").note.find("0.845") != std::string::npos);
  CHECK(claim(playbook, "scale-8").needs_cpus == 4);
  CHECK(claim(playbook, "lpar-half").metric == Claim::Metric::machine_cpu);
  CHECK(claim(playbook, "lpar-half").node == "host");
  CHECK(claim(playbook, "idle-others").nodes.size() == 4);
  CHECK(claim(playbook, "idle-others").limit == 0.05);
  CHECK(claim(playbook, "overcommit").kind == Claim::Kind::stated);
  const Claim& busy = claim(playbook, "backend-busy");
  CHECK(busy.metric == Claim::Metric::cpu);
  CHECK(busy.rising == std::vector<Quantity>{{{{"scenario", "2"}}, {}, "tam"}, {{{"scenario", "2"}}, {}, "was"}});
  CHECK(claim(playbook, "hw-gain-grows").rising.size() == 3);
  CHECK(claim(playbook, "hw-gain-grows").rising[1].to.at("crypto") == "software");
}

TEST_CASE("the built-in playbooks fit the built-in labs") {
  CHECK(config::check_against(built_in_playbook(), config::load_lab("local").value()).empty());
  for (const char* name : {"peers", "platform"}) {
    CAPTURE(name);
    CHECK(config::check_against(config::load_playbook(name).value(), config::load_lab(name).value()).empty());
  }
  CHECK(config::check_against(config::load_playbook("starter").value(), config::load_lab("starter").value()).empty());
}

TEST_CASE("like merges maps at every depth, replaces lists and scalars, keeps the place of what it inherits") {
  const auto playbook = playbook_of(
      "  - {id: next, like: base, title: T, tls: {handshake: full}, junction: {point: /b}, axes: {log: [file], cpus: [2], page: [2KB]}}\n"
      "  - {id: last, like: next, auth: every, keep: [log]}\n");
  REQUIRE(playbook.has_value());
  const Scenario& next = scenario(*playbook, "next");
  CHECK(next.like == "base");
  CHECK(next.https);
  CHECK(next.login == LoginMode::once);
  CHECK(next.tls == ScenarioTls{HandshakeMode::full, std::nullopt, "C"});
  CHECK(next.junction == JunctionPlan{"/b", JunctionType::tcp, {"was"}, {true, false, false}});
  CHECK(next.axes == std::vector<AxisValues>{{"page", {"2KB"}}, {"cpus", {"2"}}, {"clients", {"1", "2"}}, {"log", {"file"}}});
  CHECK(next.keep == std::vector<std::string>{"clients"});
  const Scenario& last = scenario(*playbook, "last");
  CHECK(last.title == "T");
  CHECK(last.login == LoginMode::every);
  CHECK(last.axes == next.axes);
  CHECK(last.keep == std::vector<std::string>{"log"});
}

TEST_CASE("a scenario may be like one that stands below it") {
  const auto playbook = config::parse_playbook(
      "playbook: p\nprofiles: {q: {measure: 1s}}\nscenarios:\n"
      "  - {id: a, like: b, auth: once}\n"
      "  - {id: b, client: http, junction: {point: /, type: local}, axes: {page: 100B, clients: 1}}\n",
      "p.yaml");
  REQUIRE(playbook.has_value());
  CHECK(playbook->scenarios[0].axes == std::vector<AxisValues>{{"page", {"100B"}}, {"clients", {"1"}}});
}

TEST_CASE("a junction that becomes local loses the servers it inherits") {
  const auto playbook = playbook_of("  - {id: here, like: base, junction: {point: /, type: local}}\n");
  REQUIRE(playbook.has_value());
  CHECK(playbook->scenarios[1].junction == JunctionPlan{"/", JunctionType::local, {}, {true, false, false}});
}

TEST_CASE("what a playbook names must be in the lab, told with the playbook's places") {
  const auto playbook = config::parse_playbook(
      "playbook: p\nprofiles: {q: {measure: 1s}}\nscenarios:\n"
      "  - {id: a, client: http, junction: {point: /, type: tcp, servers: [web, weeb, users]}, auth: once, axes: {page: 1KB, clients: 1, "
      "gateway: gatway}}\n"
      "claims:\n"
      "  - {id: c, says: x, share: {of: {}, node: nobody}, published: 1}\n"
      "  - {id: d, says: x, share: {of: {}, machine: hots}, published: 1}\n"
      "  - {id: e, says: x, below: {of: {}, nodes: [web, nobody]}, limit: 5%}\n"
      "  - {id: f, says: x, below: {of: {}, nodes: [nobody]}, limit: 5%}\n",
      "p.yaml");
  REQUIRE(playbook.has_value());
  std::vector<std::string> found;
  for (const Error& error : config::check_against(*playbook, config::load_lab("starter").value())) {
    found.push_back(error.where + ": " + error.what + "; " + error.remedy);
  }
  CHECK(found == std::vector<std::string>{
                     "p.yaml:4:74: lab `starter` has no node `weeb`; did you mean `web`?",
                     "p.yaml:4:80: node `users` of lab `starter` serves no pages; name a node with role pages",
                     "p.yaml:4:140: lab `starter` has no gateway `gatway`; did you mean `gateway`?",
                     "p.yaml:6:44: lab `starter` has no node `nobody`; known: client, gateway, users, web",
                     "p.yaml:7:47: lab `starter` has no machine `hots`; did you mean `host`?",
                     "p.yaml:9:45: lab `starter` has none of these nodes; known: client, gateway, users, web",
                 });
}

TEST_CASE("a scenario may log in only over what its gateway offers") {
  const auto lab_with = [](const std::string& basic) {
    return config::parse_lab("lab: l\ngateway: {authentication: {basic: " + basic +
                                 "}}\nnodes:\n  gw: {roles: [gateway]}\n  users: {roles: [directory]}\n  web: {roles: [pages]}\n"
                                 "  driver: {roles: [load]}\n",
                             "l.yaml")
        .value();
  };
  const auto playbook = config::parse_playbook(
      "playbook: p\nprofiles: {q: {measure: 1s}}\nscenarios:\n"
      "  - {id: a, client: http, junction: {point: /, type: tcp, servers: [web]}, auth: once, axes: {page: 1KB, clients: 1}}\n",
      "p.yaml");
  REQUIRE(playbook.has_value());
  CHECK(config::check_against(*playbook, lab_with("both")).empty());
  CHECK(config::check_against(*playbook, lab_with("http")).empty());
  const auto only_https = config::check_against(*playbook, lab_with("https"));
  REQUIRE(only_https.size() == 1);
  CHECK(only_https[0].what == "scenario `a` logs in over http, and gateway `gw` of lab `l` offers basic login over https only");
  CHECK(only_https[0].where == "p.yaml:4:82");
  const auto none = config::check_against(*playbook, lab_with("none"));
  REQUIRE(none.size() == 1);
  CHECK(none[0].what == "scenario `a` logs in over http, and gateway `gw` of lab `l` offers no basic login");
}

TEST_CASE("a playbook asks for roles that the lab must have") {
  const Lab lab = config::parse_lab("lab: bare\nnodes: {web: {roles: [pages]}}\n", "bare.yaml").value();
  std::vector<std::string> found;
  for (const Error& error : config::check_against(config::load_playbook("starter").value(), lab)) {
    found.push_back(error.what);
  }
  CHECK(found == std::vector<std::string>{"lab `bare` has no node with role gateway", "lab `bare` has no node with role load"});
}
