#include "agent/handlers.hpp"

#include "agent/disks.hpp"
#include "agent/host.hpp"
#include "agent/network.hpp"

#include <unistd.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <iterator>
#include <memory>
#include <utility>

namespace lab::agent {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 10s, kStopTime = 5s, kCallTime = 5s, kWaitTime = 60s, kShutdownGrace = 5s, kNetworkTime = 5s;
constexpr std::int64_t kLogLines = 100, kMostLogLines = 10'000;
constexpr std::size_t kMostInstants = 10'000, kMostRoles = 16;

// Calls `then` with (name, timeout) when the parameters hold both.
template <class Then>
void with_role(const json::object& params, std::chrono::nanoseconds otherwise, const Reply& reply, Then then) {
  const auto name = text_of(params, "name");
  const auto timeout = duration_of(params, "timeout_ns", otherwise);
  if (!name || !timeout) {
    return reply(name ? timeout.error() : name.error());
  }
  then(*name, *timeout);
}

Result<std::vector<std::int64_t>> instants_of(const json::object& params) {
  std::vector<std::int64_t> instants;
  const json::value* at = params.if_contains("at");
  if (at == nullptr || !at->is_array() || at->get_array().size() > kMostInstants) {
    return Error{"parameter at is no list of instants", {}, {}};
  }
  for (const json::value& instant : at->get_array()) {
    if (!instant.is_int64()) {
      return Error{"an instant is a number of nanoseconds", {}, {}};
    }
    instants.push_back(instant.get_int64());
  }
  std::sort(instants.begin(), instants.end());
  return instants;
}

Result<std::vector<std::string>> roles_of(const json::object& params) {
  std::vector<std::string> roles;
  const json::value* stats = params.if_contains("stats");
  if (stats == nullptr) {
    return roles;
  }
  if (!stats->is_array() || stats->get_array().size() > kMostRoles) {
    return Error{"parameter stats is no list of roles", {}, {}};
  }
  for (const json::value& role : stats->get_array()) {
    if (!role.is_string()) {
      return Error{"a role's name is a text", {}, {}};
    }
    roles.emplace_back(role.get_string());
  }
  return roles;
}

}  // namespace

const Handlers::Entry Handlers::kMethods[] = {
    {"hello", &Handlers::hello},
    {"clock", &Handlers::clock},
    {"lease", &Handlers::lease},
    {"role.start", &Handlers::role_start},
    {"role.stop", &Handlers::role_stop},
    {"role.list", &Handlers::role_list},
    {"role.call", &Handlers::role_call},
    {"role.wait", &Handlers::role_wait},
    {"role.log", &Handlers::role_log},
    {"cpu.limit", &Handlers::cpu_limit},
    {"sample", &Handlers::sample},
    {"file.truncate", &Handlers::file_truncate},
    {"file.count", &Handlers::file_count},
    {"network.set", &Handlers::network_set},
    {"network.counters", &Handlers::network_counters},
    {"shutdown", &Handlers::shutdown},
};

Handlers::Handlers(boost::asio::io_context& loop, const Options& options, std::function<void()> shut_down)
    : loop_(loop),
      options_(options),
      shut_down_(std::move(shut_down)),
      files_(options.directory, options.logs),
      supervisor_(loop, options.program, Adapter(options.program, options.system), options.directory),
      carrier_(options.system),
      idle_(loop) {
  watch_idleness();
}

void Handlers::handle(std::string_view method, const json::object& params, Reply reply) {
  watch_idleness();
  const auto* const entry =
      std::find_if(std::begin(kMethods), std::end(kMethods), [method](const Entry& known) { return known.name == method; });
  if (entry == std::end(kMethods)) {
    return reply(Error{"no such method: " + std::string(method), {}, "is the controller of the same build? `lab up` replaces the agent"});
  }
  (this->*entry->method)(params, std::move(reply));
}

void Handlers::watch_idleness() {
  idle_.expires_after(options_.idle_stop);
  idle_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) {
      supervisor_.stop_all(kShutdownGrace, [] {});
    }
  });
}

void Handlers::hello(const json::object& params, Reply reply) {
  const json::value* protocol = params.if_contains("protocol");
  if (protocol == nullptr || *protocol != kProtocol) {
    return reply(
        Error{"the agent speaks protocol " + std::to_string(kProtocol) + ", the controller another", {}, "`lab up` replaces the agent"});
  }
  json::object answer = describe_host();
  answer["protocol"] = kProtocol;
  answer["build"] = options_.build;
  answer["node"] = options_.node;
  answer["pid"] = getpid();
  answer["adapter"] = Adapter(options_.program, options_.system).why_not();
  answer["carrier"] = carrier_.describe();
  answer["log_disk"] = options_.logs.empty() ? "" : why_same_disk(options_.directory, options_.logs);
  answer["monotonic_ns"] = monotonic_now().count();
  reply(std::move(answer));
}

void Handlers::clock(const json::object&, Reply reply) { reply(json::object{{"monotonic_ns", monotonic_now().count()}}); }

void Handlers::lease(const json::object&, Reply reply) {
  supervisor_.renew_lease();
  reply(json::object());
}

void Handlers::role_start(const json::object& params, Reply reply) {
  with_role(params, kStartTime, reply, [&](const std::string& name, std::chrono::nanoseconds timeout) {
    const auto role = text_of(params, "role");
    if (!role) {
      return reply(role.error());
    }
    const json::value* const adapter = params.if_contains("adapter");
    supervisor_.start({name, *role, object_of(params, "config"), object_of(params, "env"), adapter != nullptr && *adapter == true}, timeout,
                      reply);
  });
}

void Handlers::role_stop(const json::object& params, Reply reply) {
  with_role(params, kStopTime, reply,
            [&](const std::string& name, std::chrono::nanoseconds timeout) { supervisor_.stop(name, timeout, reply); });
}

void Handlers::role_list(const json::object&, Reply reply) { reply(json::object{{"roles", supervisor_.list()}}); }

void Handlers::role_call(const json::object& params, Reply reply) {
  with_role(params, kCallTime, reply, [&](const std::string& name, std::chrono::nanoseconds timeout) {
    const auto method = text_of(params, "method");
    if (!method) {
      return reply(method.error());
    }
    supervisor_.call(name, *method, object_of(params, "params"), timeout, reply);
  });
}

void Handlers::role_wait(const json::object& params, Reply reply) {
  with_role(params, kWaitTime, reply,
            [&](const std::string& name, std::chrono::nanoseconds timeout) { supervisor_.wait(name, timeout, reply); });
}

void Handlers::role_log(const json::object& params, Reply reply) {
  const auto name = text_of(params, "name");
  if (!name) {
    return reply(name.error());
  }
  const json::value* wanted = params.if_contains("lines");
  const std::int64_t lines = wanted != nullptr && wanted->is_int64() ? wanted->get_int64() : kLogLines;
  const auto text = supervisor_.log(*name, static_cast<std::size_t>(std::clamp<std::int64_t>(lines, 0, kMostLogLines)));
  reply(text ? Result<json::value>(json::object{{"text", *text}}) : Result<json::value>(text.error()));
}

void Handlers::cpu_limit(const json::object& params, Reply reply) {
  const json::value* cpus = params.if_contains("cpus");
  const bool limited = cpus != nullptr && cpus->is_number();
  const bool by_quota = text_of(params, "cgroup").has_value();
  if (limited && cpus->to_number<double>() <= 0) {
    return reply(Error{"CPUs are limited to more than none", {}, {}});
  }
  const bool by_stopping = limited && !by_quota;  // a quota is written by who owns the cgroup
  supervisor_.limit_cpus(by_stopping ? std::optional(cpus->to_number<double>()) : std::nullopt);
  reply(json::object{{"method", by_quota ? "quota" : by_stopping ? "stop_continue" : "none"}});
}

json::object Handlers::take_sample(std::int64_t at_ns) {
  const std::int64_t taken = monotonic_now().count();
  const auto own = static_cast<std::uint64_t>(std::max<std::int64_t>(process_cpu_ns(getpid()), 0) / 1000);
  json::object roles;
  std::uint64_t node = own;
  for (const auto& [name, cpu_us] : supervisor_.cpu_us()) {
    roles[name] = cpu_us;
    node += cpu_us;
  }
  json::object sample{{"at", at_ns}, {"taken", taken}, {"roles", std::move(roles)}, {"agent", own}, {"node", node}, {"host", host_times()}};
  if (json::object carrier = carrier_.sample(std::chrono::nanoseconds(taken)); !carrier.empty()) {
    sample["carrier"] = std::move(carrier);
  }
  return sample;
}

// The answer of one `sample` call in the making.
struct Handlers::Sampling {
  std::vector<std::string> roles;  // whose `stats` are wanted with each sample
  json::array samples;
  std::size_t open = 0;  // answers that are still to come
  Reply reply;

  void closed() {
    if (--open == 0) {
      reply(json::object{{"samples", std::move(samples)}});
    }
  }
};

void Handlers::sample(const json::object& params, Reply reply) {
  auto instants = instants_of(params);
  auto roles = roles_of(params);
  if (!instants || !roles) {
    return reply(instants ? roles.error() : instants.error());
  }
  if (instants->empty()) {
    instants->push_back(monotonic_now().count());
  }
  const auto sampling = std::make_shared<Sampling>(Sampling{std::move(*roles), {}, 0, std::move(reply)});
  sampling->samples.resize(instants->size());
  sampling->open = instants->size() * (1 + sampling->roles.size());
  for (std::size_t i = 0; i < instants->size(); ++i) {
    const std::int64_t at = (*instants)[i];
    const auto timer = std::make_shared<boost::asio::steady_timer>(loop_, Clock::time_point(std::chrono::nanoseconds(at)));
    timer->async_wait([this, timer, at, i, sampling](const boost::system::error_code&) {
      sampling->samples[i] = take_sample(at);
      add_stats(sampling, i);
      sampling->closed();
    });
  }
}

// A role that does not answer is left out.
void Handlers::add_stats(const std::shared_ptr<Sampling>& sampling, std::size_t i) {
  for (const std::string& role : sampling->roles) {
    supervisor_.call(role, "stats", {}, kCallTime, [sampling, i, role](const Result<json::value>& answer) {
      if (answer) {
        json::object& sample = sampling->samples[i].as_object();
        if (!sample.contains("stats")) {
          sample["stats"] = json::object();
        }
        sample["stats"].as_object()[role] = *answer;
        sample["stats_known"] = monotonic_now().count();
      }
      sampling->closed();
    });
  }
}

void Handlers::file_truncate(const json::object& params, Reply reply) {
  const json::value* paths = params.if_contains("paths");
  if (paths == nullptr || !paths->is_array()) {
    return reply(Error{"parameter paths is no list of files", {}, {}});
  }
  for (const json::value& path : paths->get_array()) {
    const auto done = path.is_string() ? files_.truncate(std::string(path.get_string())) : Result<void>(Error{"a path is a text", {}, {}});
    if (!done) {
      return reply(done.error());
    }
  }
  reply(json::object());
}

void Handlers::file_count(const json::object& params, Reply reply) {
  const auto path = text_of(params, "path");
  const auto counted = path ? files_.count(*path) : Result<FileCount>(path.error());
  if (!counted) {
    return reply(counted.error());
  }
  reply(json::object{{"lines", counted->lines}, {"bytes", counted->bytes}});
}

void Handlers::network_set(const json::object& params, Reply reply) {
  const auto order = network_order_of(params);
  const auto done = order ? set_network(*order, Clock::now() + kNetworkTime) : Result<void>(order.error());
  reply(done ? Result<json::value>(json::object()) : Result<json::value>(done.error()));
}

void Handlers::network_counters(const json::object&, Reply reply) {
  auto counters = agent::network_counters(Clock::now() + kNetworkTime);
  reply(counters ? Result<json::value>(json::object{{"counters", std::move(*counters)}}) : Result<json::value>(counters.error()));
}

void Handlers::shutdown(const json::object&, Reply reply) {
  supervisor_.stop_all(kShutdownGrace, [this, reply = std::move(reply)] {
    reply(json::object());
    shut_down_();
  });
}

void Handlers::end() { supervisor_.stop_all(kShutdownGrace, shut_down_); }

}  // namespace lab::agent
