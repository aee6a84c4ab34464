#include "fixtures.hpp"

#include "store/read.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

namespace lab::run::test {

namespace json = boost::json;

namespace {

constexpr double kRate = 1000;  // pages a second of each driver

Node node(const std::string& name, Role role) {
  Node n;
  n.name = name;
  n.roles = {role};
  return n;
}

StandingNode standing_node(const std::string& name, const std::string& address, std::vector<int> cpus) {
  StandingNode n;
  n.name = name;
  n.address = address;
  n.machine = name == "was" ? "zos" : "host";
  n.directory = "/state/" + name;
  n.host_cpus = std::move(cpus);
  return n;
}

double seconds(const json::object& config, std::string_view key) {
  const auto duration = parse_duration(store::text_of(config, key));
  return duration ? static_cast<double>(duration->count()) / 1e9 : store::number_of(config, key);
}

}  // namespace

Standing standing() {
  Standing s;
  s.name = "local";
  s.lab.name = "local";
  s.lab.nodes = {node("client1", Role::load), node("client2", Role::load), node("webseal", Role::gateway), node("tam", Role::directory),
                 node("was", Role::pages)};
  s.lab.nodes[2].cpus = 1;
  s.cpu_unit = 0.4;
  s.cpu_method = CpuMethod::quota;
  s.nodes = {standing_node("client1", "127.1.0.1", {1}), standing_node("client2", "127.1.0.2", {1}),
             standing_node("webseal", "127.1.0.3", {0}), standing_node("tam", "127.1.0.4", {1}), standing_node("was", "127.1.0.5", {1})};
  return s;
}

Playbook playbook() {
  Playbook p;
  p.name = "p";
  Profile all;
  all.name = "all";
  all.warmup = std::chrono::milliseconds(300);
  all.measure = std::chrono::seconds(2);
  all.repeats = 3;
  Profile narrow = all;
  narrow.name = "narrow";
  narrow.axes = {{"clients", {"8"}}, {"cpus", {"4"}}};
  p.profiles = {all, narrow};

  Scenario plain;
  plain.id = "1";
  plain.title = "plain";
  plain.junction = {"/app", JunctionType::tcp, {"was"}, {}};
  plain.axes = {{"page", {"5.8KB"}}, {"cpus", {"1", "2"}}, {"clients", {"8", "10"}}};
  plain.keep = {"clients"};
  Scenario ssl = plain;
  ssl.id = "2";
  ssl.https = true;
  ssl.login = LoginMode::once;
  ssl.tls = {HandshakeMode::once, TlsVersion::tls1_2, "ECDHE-RSA-AES128-GCM-SHA256"};
  ssl.axes = {{"page", {"5.8KB"}}, {"crypto", {"software", "hardware"}}, {"cpus", {"1"}}, {"clients", {"8", "10"}}};
  ssl.keep = {};
  Scenario logs = plain;
  logs.id = "1-log";
  logs.axes = {{"page", {"5.8KB"}}, {"clients", {"8"}}, {"log", {"file", "own-disk", "null"}}};
  Scenario login = ssl;
  login.id = "5";
  login.junction = {"/", JunctionType::local, {}, {}};
  login.login = LoginMode::every;
  login.tls.handshake = HandshakeMode::full;
  login.axes = {{"page", {"100B"}}, {"crypto", {"software", "hardware", "adapter"}}, {"clients", {"8"}}};
  p.scenarios = {plain, logs, ssl, login};
  return p;
}

const Scenario& scenario(const Playbook& playbook, const std::string& id) {
  for (const Scenario& s : playbook.scenarios) {
    if (s.id == id) {
      return s;
    }
  }
  throw std::logic_error("no scenario " + id);
}

Cell cell(const std::string& id) {
  const Playbook p = playbook();
  const auto cells = cells_of(p, p.profiles[0], {});
  REQUIRE(cells);
  const Cell* found = find_cell(*cells, id);
  if (found == nullptr) {
    throw std::logic_error("no cell " + id);
  }
  return *found;
}

Now FakeLab::now() {
  return [this] {
    const std::lock_guard lock(mutex_);
    return now_ns_ += 1000;
  };
}

Bench FakeLab::bench(const Standing& standing) {
  Bench bench{standing, *this, *this, interrupt, now(), {}, {}};
  REQUIRE(meet(bench));
  return bench;
}

Result<void> FakeLab::set(const std::string& node, std::optional<double> lab_cpus) {
  cpus.erase(node);
  if (lab_cpus) {
    cpus[node] = *lab_cpus;
  }
  return {};
}

Result<json::value> FakeLab::call(const std::string& node, std::string_view method, json::object params, Deadline) {
  const std::lock_guard lock(mutex_);
  now_ns_ += 100'000;
  calls.push_back(node + " " + std::string(method) + (params.contains("name") ? " " + store::text_of(params, "name") : ""));
  if (method == "role.start") {
    auto started = start(node, params);
    return started ? Result<json::value>(std::move(*started)) : started.error();
  }
  return json::value(answer(node, std::string(method), params));
}

Result<json::object> FakeLab::start(const std::string& node, const json::object& params) {
  const std::string name = store::text_of(params, "name");
  configs[node] = store::object_of(params, "config");
  if (name == "load") {
    if (late_starts > 0) {
      --late_starts;
      now_ns_ += 600'000'000;
    }
    return json::object{{"pid", 2}, {"ready", json::object{}}};
  }
  served_ = lines_ = 0;
  ++gateway_starts;
  if (on_gateway_start) {
    on_gateway_start(gateway_starts);
  }
  if (gateway_fails && gateway_fails(gateway_starts)) {
    return Error{"role gateway ended before it was ready, with exit code 1", "node webseal: role.start", "its log says why",
                 "error: port in use"};
  }
  const json::object& environment = store::object_of(params, "env");
  const bool masked = environment.contains("OPENSSL_ia32cap") && ignored_environment != "OPENSSL_ia32cap";
  const char* openssl_cpu = masked ? "OPENSSL_ia32cap=0xfcd83201078bffff:0x184009 env:~0x200000200000000:~0x60000000000"
                                   : "OPENSSL_ia32cap=0xfffa3203078bffff:0x1840079c47ab";
  return json::object{{"pid", 3}, {"ready", {{"listen", json::array{}}, {"openssl_cpu", openssl_cpu}}}};
}

std::uint64_t FakeLab::requests(const std::string& node) const {
  const json::object& config = configs.at(node);
  return static_cast<std::uint64_t>(kRate * (seconds(config, "warmup") + seconds(config, "duration")));
}

json::object FakeLab::load_result(const std::string& node) const {
  const json::object& config = configs.at(node);
  const double measured = seconds(config, "duration");
  const auto done = static_cast<std::uint64_t>(kRate * measured);
  const std::uint64_t all = requests(node);
  const double clients = store::number_of(config, "clients");
  return {
      {"requests", {{"started", done}, {"done", done}, {"failed", 0}, {"in_flight", 0}}},
      {"service_us", {{"mean", clients / kRate * 1e6}}},
      {"duration_s", measured},
      {"tls", {{"version", "1.2"}, {"cipher", "ECDHE-RSA-AES128-GCM-SHA256"}}},
      {"total",
       {{"started", all}, {"done", all}, {"failed", 0}, {"in_flight", 0}, {"logins", 0}, {"responses", all}, {"errors", json::object{}}}}};
}

json::object FakeLab::sample(const std::string& node, const json::object& params) {
  const std::int64_t at = store::array_of(params, "at").at(0).to_number<std::int64_t>();
  now_ns_ = std::max(now_ns_, at - offsets[node]);
  const auto us = static_cast<std::uint64_t>(at - offsets[node]) / 1000;
  const std::map<std::string, std::uint64_t> percent{{"client1", 25}, {"client2", 25}, {"webseal", 40}, {"tam", 1}, {"was", 20}};
  const std::uint64_t lab_us = us * 111 / 100;
  const std::uint64_t share = node == "webseal" && cpus.contains(node) ? static_cast<std::uint64_t>(40 * cpus[node]) : percent.at(node);
  const json::object host{{"user", lab_us}, {"system", 0}, {"idle", us * 2 - lab_us}, {"iowait", 0}, {"steal", 0}, {"irq", 0}, {"cpus", 2}};
  return {{"samples", json::array{json::object{{"at", at}, {"taken", at}, {"node", us * share / 100}, {"host", host}}}}};
}

json::object FakeLab::answer(const std::string& node, const std::string& method, const json::object& params) {
  if (method == "hello") {
    return {{"arch", "x86_64"}, {"kernel", "6.1"}, {"cpus", 2}, {"openssl", "3.0.17"}, {"crypto", json::array{"aes", "pclmulqdq"}}};
  }
  if (method == "clock") {
    return {{"monotonic_ns", now_ns_ + offsets[node]}};
  }
  if (method == "sample") {
    return sample(node, params);
  }
  if (method == "role.wait") {
    served_ += requests(node);
    lines_ += requests(node);
    return {{"exit", 0}, {"result", load_result(node)}};
  }
  if (method == "file.count") {
    return {{"lines", lines_ + static_cast<std::uint64_t>(extra_lines)}};
  }
  if (method == "role.call" && node == "was") {
    return {{"pages", served_}};
  }
  if (method == "role.call") {
    return {{"responses", {{"200", lines_}, {"401", extra_lines}}}, {"retries", 0}, {"log_errors", 0}};
  }
  return method == "role.log" ? json::object{{"text", "error: port in use\n"}} : json::object{};
}

}  // namespace lab::run::test
