#include "agent/supervisor.hpp"

#include "agent/event.hpp"
#include "agent/family.hpp"
#include "agent/role_call.hpp"
#include "agent/role_files.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace lab::agent {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kRoles = 64;
constexpr std::size_t kReadyLimit = std::size_t{64} << 10;
constexpr std::size_t kTailLines = 20;
constexpr auto kLease = 5s;
constexpr auto kTick = 500ms;
constexpr auto kKillTime = 5s;  // for a killed process to be gone
constexpr int kReadyDescriptor = 3;

bool is_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !name.empty() && name.size() <= 64 && name.front() != '.' && name.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_role(std::string_view role) {
  constexpr std::array<std::string_view, 6> roles{"gateway", "directory", "pages", "load", "database", "guest"};
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

// Ended when nobody renews the lease: what takes CPU time without being asked to.
bool is_leased(std::string_view role) { return role == "load" || role == "guest"; }

std::uint64_t family_cpu_us(int pid) {
  std::uint64_t sum = 0;
  for (const int member : family_of(pid)) {
    sum += static_cast<std::uint64_t>(std::max<std::int64_t>(process_cpu_ns(member), 0) / 1000) + ended_children_us(member);
  }
  return sum;
}

std::map<std::string, std::string> to_environment(const json::object& object) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : object) {
    environment[name] = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  }
  return environment;
}

void signal_group(int pid, int signal) {
  kill(-pid, signal);
  kill(-pid, SIGCONT);  // a stopped process meets a signal only once it runs
}

// Of a child that cannot be watched.
void kill_and_reap(const remote::ProcessIdentity& process) {
  static_cast<void>(remote::end_process_group(process, 0s, Clock::now() + kKillTime));
  static_cast<void>(remote::reap(process.pid));
}

}  // namespace

struct Supervisor::Role {
  Role(asio::io_context& loop, RoleOrder order_in, RoleFiles files_in)
      : order(std::move(order_in)), files(std::move(files_in)), ready_pipe(loop), end_watch(loop), started(loop), ended(loop) {}

  bool running() const { return !ended.happened(); }

  RoleOrder order;
  RoleFiles files;
  remote::ProcessIdentity process;
  asio::posix::stream_descriptor ready_pipe;
  asio::posix::stream_descriptor end_watch;
  std::string ready_line;
  json::value ready;  // null until it serves
  Event started;      // it serves, or has ended
  Event ended;
  int exit = 0;
};

Supervisor::Supervisor(asio::io_context& loop, std::filesystem::path program, Adapter adapter, std::filesystem::path directory)
    : loop_(loop), program_(std::move(program)), adapter_(std::move(adapter)), directory_(std::move(directory)), ticker_(loop) {
  tick();
}

Supervisor::~Supervisor() = default;

void Supervisor::start(RoleOrder order, std::chrono::nanoseconds timeout, Reply reply) {
  const Deadline deadline = Clock::now() + timeout;
  if (!is_name(order.name) || !is_role(order.role)) {
    return reply(Error{"no role " + order.role + " can be started as `" + order.name + "`",
                       {},
                       "roles are gateway, directory, pages, load, database and guest"});
  }
  const auto known = roles_.find(order.name);
  if (known != roles_.end() && known->second->running()) {
    if (known->second->order != order) {
      return reply(Error{"role " + order.name + " runs with another configuration", {}, "stop it first"});
    }
    return answer_start(known->second, true, deadline, std::move(reply));
  }
  if (known == roles_.end() && roles_.size() >= kRoles) {
    return reply(Error{"this node has " + std::to_string(kRoles) + " roles already", {}, "stop some first"});
  }
  if (const std::string why = order.adapter ? adapter_.why_not() : std::string(); !why.empty()) {
    return reply(Error{"role " + order.name + " cannot use a crypto adapter: " + why, {}, "leave the cell out with --only"});
  }
  const auto role = launch(std::move(order));
  if (!role) {
    return reply(role.error());
  }
  answer_start(*role, false, deadline, std::move(reply));
}

Result<Supervisor::RolePtr> Supervisor::launch(RoleOrder order) {
  const auto role = std::make_shared<Role>(loop_, std::move(order), RoleFiles(directory_ / "roles" / order.name));
  if (const auto prepared = role->files.prepare(role->order.config); !prepared) {
    return prepared.error();
  }
  auto log = role->files.open_log();
  auto out = role->files.open_out();
  std::array<int, 2> ends{-1, -1};
  if (!log || !out || pipe2(ends.data(), O_CLOEXEC) != 0) {
    return !log ? log.error() : !out ? out.error() : system_error("make a pipe", errno);
  }
  role->ready_pipe.assign(ends[0]);
  const remote::Descriptor ready{ends[1]};
  const auto process = run(*role, ready.get(), out->get(), log->get());
  if (!process) {
    return process.error();
  }
  remote::Descriptor end_watch = remote::watch_end(process->pid);
  if (!end_watch.open()) {
    const Error why = system_error("watch role " + role->order.name, errno, "raise the node's limit of open files: ulimit -n");
    kill_and_reap(*process);
    return why;
  }
  role->process = *process;
  role->files.write_identity(*process);
  role->end_watch.assign(end_watch.release());
  roles_[role->order.name] = role;
  limiter_.watch(process->pid);
  if (is_leased(role->order.role)) {
    renew_lease();
  }
  read_ready_line(role);
  watch_end(role);
  return role;
}

Result<remote::ProcessIdentity> Supervisor::run(const Role& role, int ready, int out, int log) const {
  auto environment = to_environment(role.order.environment);
  if (role.order.adapter) {
    const std::string configuration = (role.files.folder() / "openssl.cnf").string();
    if (const auto written = adapter_.configure(configuration); !written) {
      return written.error();
    }
    environment["OPENSSL_CONF"] = configuration;
  }
  const auto& program = role.order.adapter ? adapter_.program() : program_;
  return remote::start({{program.string(), role.order.role, "-c", role.files.config(), "--ready-fd", std::to_string(kReadyDescriptor)},
                        environment,
                        role.files.folder(),
                        {{1, out}, {2, log}, {kReadyDescriptor, ready}}});
}

void Supervisor::read_ready_line(const RolePtr& role) {
  asio::async_read_until(role->ready_pipe, asio::dynamic_buffer(role->ready_line, kReadyLimit), '\n',
                         [this, role](error_code failure, std::size_t length) {
                           error_code bad;
                           if (!failure) {
                             role->ready = json::parse(std::string_view(role->ready_line).substr(0, length), bad);
                           }
                           role->ready_pipe.close(bad);
                           if (!role->ready.is_null()) {
                             limiter_.watch_family(role->process.pid, family_of(role->process.pid));
                             role->started.happen();
                           }
                         });
}

void Supervisor::watch_end(const RolePtr& role) {
  role->end_watch.async_wait(asio::posix::stream_descriptor::wait_read, [this, role](error_code failure) {
    if (!failure) {
      ended(role);
    }
  });
}

void Supervisor::ended(const RolePtr& role) {
  const int pid = role->process.pid;
  limiter_.unwatch(pid);
  kill(-pid, SIGKILL);  // what it left in its group; the number is taken until it is reaped
  if (const auto end = remote::reap(pid)) {
    role->exit = end->exit;
    spent_us_[role->order.name] += end->cpu_us;
  }
  role->files.remove_identity();
  error_code ignored;
  role->end_watch.close(ignored);
  role->ended.happen();
  role->started.happen();
}

void Supervisor::answer_start(const RolePtr& role, bool already, Deadline deadline, Reply reply) {
  role->started.wait(deadline, [this, role, already, reply = std::move(reply)](bool happened) {
    if (!happened) {
      return give_up_start(role, reply);
    }
    if (role->ready.is_null()) {
      return reply(Error{"role " + role->order.name + " ended before it was ready, with exit code " + std::to_string(role->exit),
                         {},
                         "its log says why",
                         role->files.last_log_lines(kTailLines)});
    }
    json::object answer{{"pid", role->process.pid}, {"start_ticks", role->process.start_ticks}, {"ready", role->ready}};
    if (already) {
      answer["already"] = true;
    }
    reply(std::move(answer));
  });
}

void Supervisor::give_up_start(const RolePtr& role, Reply reply) {
  signal_group(role->process.pid, SIGKILL);
  role->ended.wait(Clock::now() + kKillTime, [role, reply = std::move(reply)](bool) {
    reply(Error{"role " + role->order.name + " was not ready in time", {}, "its log may say why", role->files.last_log_lines(kTailLines)});
  });
}

void Supervisor::stop(const std::string& name, std::chrono::nanoseconds timeout, Reply reply) {
  const auto known = roles_.find(name);
  if (known == roles_.end()) {
    return reply(json::object());
  }
  const RolePtr role = known->second;
  end(role, Clock::now() + timeout, [this, role, reply = std::move(reply)](Result<json::value> outcome) {
    const auto still = roles_.find(role->order.name);
    if (outcome && still != roles_.end() && still->second == role) {
      roles_.erase(still);
    }
    reply(std::move(outcome));
  });
}

void Supervisor::end(const RolePtr& role, Deadline deadline, Reply reply) {
  if (role->running()) {
    limiter_.unwatch(role->process.pid);
    signal_group(role->process.pid, SIGTERM);
  }
  role->ended.wait(deadline, [role, reply = std::move(reply)](bool happened) {
    if (!happened) {
      signal_group(role->process.pid, SIGKILL);
    }
    role->ended.wait(Clock::now() + kKillTime, [role, reply](bool gone) {
      if (!gone) {
        return reply(Error{"role " + role->order.name + " does not end, not even when killed", {}, "look at its state in /proc"});
      }
      reply(json::object{{"exit", role->exit}});
    });
  });
}

void Supervisor::wait(const std::string& name, std::chrono::nanoseconds timeout, Reply reply) {
  const auto role = find(name);
  if (!role) {
    return reply(role.error());
  }
  (*role)->ended.wait(Clock::now() + timeout, [role = *role, reply = std::move(reply)](bool happened) {
    if (!happened) {
      return reply(Error{"role " + role->order.name + " still runs", {}, "stop it, or wait longer"});
    }
    reply(json::object{{"exit", role->exit}, {"result", role->files.result()}});
  });
}

void Supervisor::call(const std::string& name, const std::string& method, const json::object& params, std::chrono::nanoseconds timeout,
                      Reply reply) {
  const auto role = find(name);
  if (!role) {
    return reply(role.error());
  }
  const json::value* control = (*role)->order.config.if_contains("control");
  const std::string socket = control != nullptr && control->is_string() ? std::string(control->get_string()) : (*role)->files.control();
  call_role(loop_, socket, method, params, Clock::now() + timeout, std::move(reply));
}

json::array Supervisor::list() const {
  json::array all;
  for (const auto& [name, role] : roles_) {
    all.push_back(json::object{{"name", name},
                               {"role", role->order.role},
                               {"pid", role->process.pid},
                               {"state", role->running() ? "running" : "exited"},
                               {"exit", role->running() ? json::value() : json::value(role->exit)},
                               {"ready", role->ready}});
  }
  return all;
}

Result<std::string> Supervisor::log(const std::string& name, std::size_t lines) const {
  if (!is_name(name)) {
    return Error{"`" + name + "` is no name of a role", {}, {}};
  }
  return RoleFiles(directory_ / "roles" / name).last_log_lines(lines);  // also of one that was stopped
}

void Supervisor::stop_all(std::chrono::nanoseconds grace, std::function<void()> done) {
  const auto waiting = std::make_shared<std::size_t>(roles_.size());
  if (*waiting == 0) {
    return done();
  }
  const auto each = [waiting, done = std::move(done)](const Result<json::value>&) {
    if (--*waiting == 0) {
      done();
    }
  };
  for (const auto& [name, role] : roles_) {
    end(role, Clock::now() + grace, each);
  }
}

void Supervisor::renew_lease() { lease_end_ = Clock::now() + kLease; }

std::map<std::string, std::uint64_t> Supervisor::cpu_us() const {
  std::map<std::string, std::uint64_t> all = spent_us_;
  for (const auto& [name, role] : roles_) {
    if (role->running()) {
      all[name] += family_cpu_us(role->process.pid);
    }
  }
  return all;
}

void Supervisor::limit_cpus(std::optional<double> host_cpus) { limiter_.limit(host_cpus.value_or(0)); }

void Supervisor::tick() {
  for (const auto& [name, role] : roles_) {
    role->files.bound();
    if (role->running()) {
      limiter_.watch_family(role->process.pid, family_of(role->process.pid));
    }
    if (is_leased(role->order.role) && role->running() && Clock::now() >= lease_end_) {
      end(role, Clock::now() + kLease, [](const Result<json::value>&) {});
    }
  }
  ticker_.expires_after(kTick);
  ticker_.async_wait([this](error_code failure) {
    if (!failure) {
      tick();
    }
  });
}

Result<Supervisor::RolePtr> Supervisor::find(const std::string& name) const {
  const auto found = roles_.find(name);
  if (found == roles_.end()) {
    return Error{"no role `" + name + "` runs here", {}, "start it first"};
  }
  return found->second;
}

}  // namespace lab::agent
