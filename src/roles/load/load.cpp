#include "roles/load/load.hpp"

#include "net/loop.hpp"
#include "roles/load/worker.hpp"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace lab::load {

namespace {

// Responses under way at the end have this long, or a request's time-out when that is shorter; then they are cut off.
constexpr net::Nanos kDrainLimit = 5'000'000'000;
constexpr rlim_t kOwnDescriptors = 64;

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

Result<void> check(const LoadConfig& config) {
  if (config.clients < 1 || config.threads < 1) {
    return usage("no clients or no threads", "give at least one of each");
  }
  if (config.login != LoginMode::none && config.users.empty() && config.generated_users.value_or(0) == 0) {
    return usage("a login without users", "give --user and --password-file, or --users");
  }
  for (const std::string& header : config.headers) {
    const auto colon = header.find(':');
    if (colon == std::string::npos || colon == 0 || header.find_first_of("\r\n") != std::string::npos) {
      return usage("\"" + header + "\" is no header", "write 'Name: value'");
    }
  }
  return {};
}

Result<void> allow_descriptors(int clients) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = static_cast<rlim_t>(clients) + kOwnDescriptors;
  if (limit.rlim_cur >= wanted) {
    return {};
  }
  if (limit.rlim_max < wanted) {
    return Error{
        std::to_string(clients) + " connections are more than the limit of open files allows (" + std::to_string(limit.rlim_max) + ")",
        {},
        "raise it: ulimit -Hn " + std::to_string(wanted)};
  }
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

Result<Setup> make_setup(const LoadConfig& config) {
  if (const Result<void> checked = check(config); !checked) {
    return checked.error();
  }
  Result<Url> url = parse_url(config.url);
  if (!url) {
    return url.error();
  }
  Result<Expectation> expectation = make_expectation(config, *url);
  if (!expectation) {
    return expectation.error();
  }
  Result<net::Address> address = net::Address::resolve(url->host, url->port);
  if (!address) {
    return address.error();
  }
  Setup setup{config, std::move(*url), *address, *expectation, Users(config), {}, false};
  setup.connection_per_page = config.close || config.handshake != HandshakeMode::once;
  // A request that will be answered 401 is not the connection's last.
  const bool last = setup.connection_per_page && config.login == LoginMode::none;
  write_request(setup.first_request, setup.url, config.headers, {.close = last});
  return setup;
}

Result<net::TlsContext> make_context(const Setup& setup) {
  if (!setup.url.tls) {
    return net::TlsContext{};
  }
  const LoadConfig& config = setup.config;
  return net::make_client_context({config.ca, !config.insecure, config.tls_min, config.tls_max, config.ciphers});
}

}  // namespace

struct Load::Impl {
  explicit Impl(Setup prepared) : setup(std::move(prepared)) {}

  net::Nanos drained(net::Nanos end) const { return end + std::min(kDrainLimit, net::Nanos{setup.config.timeout.count()}); }

  const Setup setup;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  net::Fd finished{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};  // written by the last thread
  std::atomic<std::size_t> running{0};
  std::mutex schedule_mutex;  // begin and stop may come from different threads; workers get theirs as a message
  Schedule schedule;
  bool stopped = false;
};

Load::Load() = default;

Result<std::unique_ptr<Load>> Load::prepare(const LoadConfig& config) {
  Result<Setup> setup = make_setup(config);
  if (!setup) {
    return setup.error();
  }
  if (const Result<void> allowed = allow_descriptors(config.clients); !allowed) {
    return allowed.error();
  }
  std::unique_ptr<Load> load(new Load);
  load->impl_ = std::make_unique<Impl>(std::move(*setup));
  Impl& impl = *load->impl_;
  const auto clients = static_cast<std::size_t>(config.clients);
  const std::size_t threads = std::min(static_cast<std::size_t>(config.threads), clients);
  for (std::size_t i = 0; i < threads; ++i) {
    Result<net::TlsContext> context = make_context(impl.setup);
    if (!context) {
      return context.error();
    }
    std::vector<std::size_t> numbers;
    for (std::size_t number = i; number < clients; number += threads) {
      numbers.push_back(number);
    }
    std::optional<std::uint64_t> share;
    if (config.requests) {
      share = *config.requests / threads + (i < *config.requests % threads ? 1 : 0);
    }
    impl.workers.push_back(std::make_unique<Worker>(impl.setup, std::move(*context), numbers, share));
  }
  impl.running = impl.workers.size();
  for (const auto& worker : impl.workers) {
    impl.threads.emplace_back([&impl, &one = *worker] {
      one.run();
      if (impl.running.fetch_sub(1) == 1) {
        eventfd_write(impl.finished.get(), 1);
      }
    });
  }
  return load;
}

Load::~Load() {
  if (impl_) {
    cut_off();
    for (std::thread& thread : impl_->threads) {
      thread.join();
    }
  }
}

void Load::begin() {
  const std::lock_guard lock(impl_->schedule_mutex);
  if (impl_->stopped) {
    return;
  }
  const LoadConfig& config = impl_->setup.config;
  Schedule& schedule = impl_->schedule;
  schedule.start = std::max(config.start_at_ns.value_or(0), net::monotonic_now());
  schedule.measure = schedule.start + config.warmup.count();
  schedule.end = schedule.measure + config.duration.count();
  schedule.drained = impl_->drained(schedule.end);
  for (const auto& worker : impl_->workers) {
    worker->begin(schedule);
  }
}

void Load::stop() {
  const std::lock_guard lock(impl_->schedule_mutex);
  const net::Nanos now = net::monotonic_now();
  if (!impl_->stopped && (impl_->schedule.end == 0 || now < impl_->schedule.end)) {
    impl_->schedule.end = now;
    for (const auto& worker : impl_->workers) {
      worker->end_at(now, impl_->drained(now));
    }
  }
  impl_->stopped = true;
}

void Load::cut_off() {
  stop();
  for (const auto& worker : impl_->workers) {
    worker->cut_off();
  }
}

int Load::finished_fd() const { return impl_->finished.get(); }

bool Load::finished() const {
  return std::all_of(impl_->workers.begin(), impl_->workers.end(), [](const auto& worker) { return worker->finished(); });
}

LiveCounts Load::live() const {
  LiveCounts counts;
  for (const auto& worker : impl_->workers) {
    const Live& live = worker->live();
    counts.done += live.done.load(std::memory_order_relaxed);
    counts.failed += live.failed.load(std::memory_order_relaxed);
    counts.started += live.started.load(std::memory_order_relaxed);
  }
  counts.in_flight = counts.started - std::min(counts.started, counts.done + counts.failed);
  return counts;
}

Outcome Load::outcome() {
  Outcome outcome;
  for (const auto& worker : impl_->workers) {
    outcome.tally.merge(worker->tally());
  }
  const std::lock_guard lock(impl_->schedule_mutex);
  const Schedule& schedule = impl_->schedule;
  outcome.start_ns = schedule.start;
  outcome.measure_ns = std::min(schedule.measure, schedule.end);
  outcome.end_ns = std::max(schedule.end, outcome.tally.ended_ns);
  if (outcome.tally.finished_ns < schedule.end) {  // a page count was reached
    outcome.end_ns = std::max(outcome.measure_ns, outcome.tally.last_response_ns);
  }
  outcome.clients = static_cast<std::uint64_t>(impl_->setup.config.clients);
  outcome.threads = impl_->workers.size();
  outcome.tls = impl_->setup.url.tls;
  return outcome;
}

}  // namespace lab::load
