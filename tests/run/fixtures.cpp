#include "fixtures.hpp"

#include "stats/histogram.hpp"
#include "store/read.hpp"

#include <algorithm>
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

Plan plan_of(const std::vector<std::string>& only, int repeats, const Standing& standing, const Facts& facts) {
  const Playbook all = playbook();
  Profile profile = all.profiles[0];
  profile.repeats = repeats;
  return make_plan(*cells_of(all, profile, only), all, profile, standing, facts, 7);
}

std::unique_ptr<store::RunDirectory> run_directory(const std::filesystem::path& reports) {
  store::RunRecord record;
  record.lab = "local";
  record.playbook = "p";
  record.started = "2026-11-30T20:25:14Z";
  return std::move(*store::RunDirectory::create(reports, record));
}

Now FakeLab::now() {
  return [this] {
    const std::lock_guard lock(mutex_);
    return now_ns_ += 1000;
  };
}

Bench FakeLab::bench(const Standing& standing) {
  const auto sleep_until = [this](std::int64_t instant) {
    const std::lock_guard lock(mutex_);
    now_ns_ = std::max(now_ns_, instant);
  };
  Bench bench{standing, *this, *this, interrupt, now(), sleep_until, {}, {}};
  REQUIRE(meet(bench));
  return bench;
}

Result<void> FakeLab::set(const std::string& node, std::optional<double> lab_cpus) {
  const std::lock_guard lock(mutex_);
  cpus_set.push_back(lab_cpus.value_or(0));
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
    if (configs[node].contains("against")) {
      loading_.insert(node);
    }
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
  const bool adapter_asked = params.contains("adapter") && params.at("adapter") == true;
  const json::array providers = adapter_asked && !adapter_ignored ? json::array{"default", "ibmca"} : json::array{"default"};
  return json::object{{"pid", 3}, {"ready", {{"listen", json::array{}}, {"openssl_cpu", openssl_cpu}, {"openssl_providers", providers}}}};
}

std::uint64_t FakeLab::requests(const std::string& node) const {
  const json::object& config = configs.at(node);
  if (config.contains("against")) {
    return 0;  // counted by slots
  }
  return static_cast<std::uint64_t>(kRate * (seconds(config, "warmup") + seconds(config, "duration")));
}

stats::SlotPlan FakeLab::slots(const json::object& config) const {
  const json::object& against = store::object_of(config, "against");
  const auto ns = [](double s) { return static_cast<std::int64_t>(s * 1e9 + 0.5); };
  return stats::plan_slots(store::integer_of(config, "start-at-ns"), ns(seconds(against, "slice")), ns(seconds(against, "gap")),
                           ns(seconds(config, "warmup")), ns(seconds(config, "duration")));
}

std::uint64_t FakeLab::slot_pages(const stats::SlotPlan& plan, std::size_t slot) const {
  const double rate = plan.side(slot) == 1 ? kRate * b_over_a : kRate;
  return static_cast<std::uint64_t>(rate * static_cast<double>(plan.slice_ns) / 1e9 + 0.5);
}

std::int64_t FakeLab::offset_of(const std::string& node) const {
  const auto at = offsets.find(node);
  return at == offsets.end() ? 0 : at->second;
}

// What both drivers had got through by an instant of a clock without offset.
std::uint64_t FakeLab::pair_pages(std::int64_t instant) const {
  std::uint64_t pages = 0;
  for (const char* driver : {"client1", "client2"}) {
    const auto config = configs.find(driver);
    if (config == configs.end() || loading_.count(driver) == 0) {
      continue;
    }
    const stats::SlotPlan plan = slots(config->second);
    const std::int64_t here = instant + offset_of(driver);
    for (std::size_t slot = 0; slot < plan.slots() && plan.begin(slot) + plan.slice_ns <= here; ++slot) {
      pages += slot_pages(plan, slot);
    }
  }
  return pages;
}

// For how long the gateway of a side had been loaded by then.
double FakeLab::gateway_seconds(std::size_t side, std::int64_t instant) const {
  const auto config = configs.find("client1");
  if (config == configs.end() || !config->second.contains("against")) {
    return 0;
  }
  const stats::SlotPlan plan = slots(config->second);
  double loaded = 0, idle = 0;
  for (std::size_t slot = 0; slot < plan.slots(); ++slot) {
    const std::int64_t here = instant + offset_of("client1");
    const bool own = plan.side(slot) == side;
    const std::int64_t most = own ? plan.slice_ns + drain_ns : plan.slot_ns();
    (own ? loaded : idle) += static_cast<double>(std::clamp<std::int64_t>(here - plan.begin(slot), 0, most)) / 1e9;
  }
  return loaded * 0.4 + idle * idle_cpus;
}

std::uint64_t FakeLab::driver_pages(const std::string& driver) const {
  const stats::SlotPlan plan = slots(configs.at(driver));
  std::uint64_t pages = 0;
  for (std::size_t slot = 0; slot < plan.slots(); ++slot) {
    pages += slot_pages(plan, slot);
  }
  return pages;
}

// Of both drivers.
std::uint64_t FakeLab::side_pages(std::size_t side) const {
  std::uint64_t pages = 0;
  for (const char* driver : {"client1", "client2"}) {
    pages += side_result(configs.at(driver), side).at("total").at("done").to_number<std::uint64_t>();
  }
  return pages;
}

json::object FakeLab::side_result(const json::object& config, std::size_t side) const {
  const stats::SlotPlan plan = slots(config);
  std::uint64_t all = 0;
  for (std::size_t slot = 0; slot < plan.slots(); ++slot) {
    all += plan.side(slot) == side ? slot_pages(plan, slot) : 0;
  }
  stats::Histogram service;
  service.record(4'000'000, all);
  std::uint64_t measured = 0;
  for (std::size_t slot = plan.warm; slot < plan.slots(); ++slot) {
    measured += plan.side(slot) == side ? slot_pages(plan, slot) : 0;
  }
  return {
      {"requests", {{"done", measured}}},
      {"service_us", {{"mean", side == 1 ? 4000 / b_over_a : 4000}}},
      {"service_histogram", service.encode()},
      {"tls", {{"version", "1.2"}, {"cipher", "ECDHE-RSA-AES128-GCM-SHA256"}}},
      {"total",
       {{"started", all}, {"done", all}, {"failed", 0}, {"in_flight", 0}, {"logins", 0}, {"responses", all}, {"errors", json::object{}}}}};
}

json::object FakeLab::pair_result(const json::object& config) const {
  const stats::SlotPlan plan = slots(config);
  json::array slices;
  for (std::size_t slot = 0; slot < plan.slots(); ++slot) {
    const std::int64_t begin = plan.begin(slot);
    const bool late = slot == undrained;
    const std::int64_t last = late ? plan.begin(slot + 1) + 50'000'000 : begin + plan.slice_ns + drain_ns;
    slices.push_back(json::object{{"side", plan.side(slot) == 0 ? "a" : "b"},
                                  {"warmup", slot < plan.warm},
                                  {"start_ns", begin},
                                  {"done", slot_pages(plan, slot)},
                                  {"failed", 0},
                                  {"first_ns", begin + 1},
                                  {"last_ns", last},
                                  {"late_us", late ? 50'000.0 : 0.0}});
  }
  return {{"against", {{"a", side_result(config, 0)}, {"b", side_result(config, 1)}, {"slices", std::move(slices)}}}};
}

json::object FakeLab::load_result(const std::string& node) const {
  const json::object& config = configs.at(node);
  if (config.contains("against")) {
    return pair_result(config);
  }
  const double measured = seconds(config, "duration");
  const auto done = static_cast<std::uint64_t>(kRate * measured);
  const std::uint64_t all = requests(node);
  const double clients = store::number_of(config, "clients");
  json::object result{
      {"requests", {{"started", done}, {"done", done}, {"failed", 0}, {"in_flight", 0}}},
      {"service_us", {{"mean", clients / kRate * 1e6}}},
      {"duration_s", measured},
      {"tls", {{"version", "1.2"}, {"cipher", "ECDHE-RSA-AES128-GCM-SHA256"}}},
      {"total",
       {{"started", all}, {"done", all}, {"failed", 0}, {"in_flight", 0}, {"logins", 0}, {"responses", all}, {"errors", json::object{}}}}};
  if (config.contains("rate")) {
    stats::Histogram latency;
    latency.record(5'000'000, done);
    result["latency_histogram"] = latency.encode();
  }
  return result;
}

json::object FakeLab::sample(const std::string& node, const json::object& params) {
  json::array samples;
  for (const json::value& at : store::array_of(params, "at")) {
    samples.push_back(sample_at(node, at.to_number<std::int64_t>(), params.contains("stats")));
  }
  return {{"samples", std::move(samples)}};
}

json::object FakeLab::sample_at(const std::string& node, std::int64_t at, bool stats) {
  now_ns_ = std::max(now_ns_, at - offsets[node]);
  const auto us = static_cast<std::uint64_t>(at - offsets[node]) / 1000;
  const std::map<std::string, std::uint64_t> percent{{"client1", 25}, {"client2", 25}, {"webseal", 40}, {"tam", 1}, {"was", 20}};
  const std::uint64_t lab_us = us * 111 / 100;
  const std::uint64_t share = node == "webseal" && cpus.contains(node) ? static_cast<std::uint64_t>(40 * cpus[node]) : percent.at(node);
  const json::object host{{"user", lab_us}, {"system", 0}, {"idle", us * 2 - lab_us}, {"iowait", 0}, {"steal", 0}, {"irq", 0}, {"cpus", 2}};
  json::object sample{{"at", at}, {"taken", at}, {"node", us * share / 100}, {"host", host}};
  if (node == "webseal") {
    const auto spent = [&](std::size_t side) { return static_cast<std::uint64_t>(1e6 * gateway_seconds(side, at - offsets[node])); };
    sample["roles"] = json::object{{"gateway.a", spent(0)}, {"gateway.b", spent(1)}};
  }
  if (stats) {
    sample["stats"] = json::object{{"pages", {{"pages", served_ + pair_pages(at - offsets[node])}}}};
    sample["stats_known"] = at + stats_delay_ns;
  }
  return sample;
}

json::object FakeLab::answer(const std::string& node, const std::string& method, const json::object& params) {
  if (method == "hello") {
    return {{"arch", "x86_64"},    {"kernel", "6.1"},    {"cpus", 2},
            {"openssl", "3.0.17"}, {"adapter", adapter}, {"crypto", json::array{"aes", "pclmulqdq"}}};
  }
  if (method == "clock") {
    return {{"monotonic_ns", now_ns_ + offsets[node]}};
  }
  if (method == "sample") {
    return sample(node, params);
  }
  if (method == "role.wait") {
    if (loading_.erase(node) > 0) {
      served_ += driver_pages(node);
    }
    served_ += requests(node);
    lines_ += requests(node);
    return {{"exit", 0}, {"result", load_result(node)}};
  }
  if (method == "file.count") {
    const std::string path = store::text_of(params, "path");
    const bool beside = path.ends_with(".a") || path.ends_with(".b");
    const std::uint64_t lines = beside ? side_pages(path.ends_with(".b") ? 1 : 0) : lines_;
    return {{"lines", lines + static_cast<std::uint64_t>(extra_lines)}};
  }
  if (method == "role.call" && node == "was") {
    return {{"pages", served_}};
  }
  if (method == "role.call") {
    const std::string name = store::text_of(params, "name");
    const std::uint64_t lines = name == "gateway" ? lines_ : side_pages(name == "gateway.b" ? 1 : 0);
    return {{"responses", {{"200", lines}, {"401", extra_lines}}}, {"retries", 0}, {"log_errors", 0}};
  }
  return method == "role.log" ? json::object{{"text", "error: port in use\n"}} : json::object{};
}

}  // namespace lab::run::test
