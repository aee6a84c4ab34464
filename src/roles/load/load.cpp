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

Result<void> allow_descriptors(std::size_t connections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t wanted = connections + kOwnDescriptors;
  if (limit.rlim_cur >= wanted) {
    return {};
  }
  if (limit.rlim_max < wanted) {
    return Error{
        std::to_string(connections) + " connections are more than the limit of open files allows (" + std::to_string(limit.rlim_max) + ")",
        {},
        "raise it: ulimit -Hn " + std::to_string(wanted)};
  }
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

Result<Setup> make_setup(const LoadConfig& config, bool intervals) {
  Setup setup;
  setup.intervals = intervals;
  setup.threads = static_cast<std::size_t>(std::max(1, std::min(config.threads, config.clients)));
  Result<Target> target = make_target(config);
  if (!target) {
    return target.error();
  }
  setup.targets.push_back(std::move(*target));
  if (config.against) {
    Result<Target> other = make_target(other_side(config));
    if (!other) {
      return other.error();
    }
    setup.targets.push_back(std::move(*other));
  }
  return setup;
}

Result<std::vector<net::TlsContext>> make_contexts(const Setup& setup) {
  std::vector<net::TlsContext> contexts;
  for (const Target& target : setup.targets) {
    Result<net::TlsContext> context = make_context(target);
    if (!context) {
      return context.error();
    }
    contexts.push_back(std::move(*context));
  }
  return contexts;
}

// The share of thread `i`, so that all shares make the whole.
std::optional<std::uint64_t> share_of(std::optional<std::uint64_t> requests, std::size_t i, std::size_t threads) {
  if (!requests) {
    return std::nullopt;
  }
  return *requests / threads + (i < *requests % threads ? 1 : 0);
}

}  // namespace

struct Load::Impl {
  explicit Impl(Setup prepared) : setup(std::move(prepared)), merger(setup.threads) {}

  net::Nanos drained(net::Nanos end) const { return end + std::min(kDrainLimit, net::Nanos{setup.config().timeout.count()}); }
  void add_workers(std::vector<std::vector<net::TlsContext>> contexts);

  const Setup setup;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  net::Fd finished{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};  // written by the last thread
  std::atomic<std::size_t> running{0};
  std::mutex schedule_mutex;  // begin and stop may come from different threads; workers get theirs as a message
  Schedule schedule;
  bool stopped = false;
  IntervalMerger merger;
};

void Load::Impl::add_workers(std::vector<std::vector<net::TlsContext>> contexts) {
  const auto clients = static_cast<std::size_t>(setup.config().clients);
  for (std::size_t i = 0; i < setup.threads; ++i) {
    std::vector<std::size_t> numbers;
    for (std::size_t number = i; number < clients; number += setup.threads) {
      numbers.push_back(number);
    }
    workers.push_back(
        std::make_unique<Worker>(setup, i, std::move(contexts[i]), numbers, share_of(setup.config().requests, i, setup.threads)));
  }
  running = workers.size();
  for (const auto& worker : workers) {
    threads.emplace_back([this, &one = *worker] {
      one.run();
      if (running.fetch_sub(1) == 1) {
        eventfd_write(finished.get(), 1);
      }
    });
  }
}

Load::Load() = default;

Result<std::unique_ptr<Load>> Load::prepare(const LoadConfig& config, bool intervals) {
  Result<Setup> setup = make_setup(config, intervals);
  if (!setup) {
    return setup.error();
  }
  const auto connections = static_cast<std::size_t>(config.clients) * setup->targets.size();
  if (const Result<void> allowed = allow_descriptors(connections); !allowed) {
    return allowed.error();
  }
  std::vector<std::vector<net::TlsContext>> contexts;
  for (std::size_t i = 0; i < setup->threads; ++i) {
    Result<std::vector<net::TlsContext>> made = make_contexts(*setup);
    if (!made) {
      return made.error();
    }
    contexts.push_back(std::move(*made));
  }
  std::unique_ptr<Load> load(new Load);
  load->impl_ = std::make_unique<Impl>(std::move(*setup));
  load->impl_->add_workers(std::move(contexts));
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
  const LoadConfig& config = impl_->setup.config();
  Schedule& schedule = impl_->schedule;
  schedule.start = std::max(config.start_at_ns.value_or(0), net::monotonic_now());
  schedule.measure = schedule.start + config.warmup.count();
  schedule.end = schedule.measure + config.duration.count();
  if (config.against) {
    const LoadAgainst& other = *config.against;
    schedule.slots = stats::plan_slots(schedule.start, other.slice.count(), other.gap.value_or(other.slice).count(), config.warmup.count(),
                                       config.duration.count());
    schedule.measure = schedule.slots->begin(schedule.slots->warm);
    schedule.end = schedule.slots->end_ns();
  }
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

std::vector<Interval> Load::take_intervals() {
  const bool all_ended = finished();
  for (const auto& worker : impl_->workers) {
    impl_->merger.add(worker->intervals().take());
  }
  return impl_->merger.ready(all_ended);
}

Outcome Load::outcome() {
  Outcome outcome;
  const std::size_t sides = impl_->setup.targets.size();
  outcome.sides.resize(sides > 1 ? sides : 0);
  for (const auto& worker : impl_->workers) {
    for (std::size_t side = 0; side < sides; ++side) {
      outcome.tally.merge(worker->tally(side));
      if (sides > 1) {
        outcome.sides[side].merge(worker->tally(side));
      }
    }
    outcome.slots.resize(std::max(outcome.slots.size(), worker->slots().size()));
    for (std::size_t i = 0; i < worker->slots().size(); ++i) {
      outcome.slots[i].merge(worker->slots()[i]);
    }
  }
  const std::lock_guard lock(impl_->schedule_mutex);
  const Schedule& schedule = impl_->schedule;
  outcome.start_ns = schedule.start;
  outcome.measure_ns = std::min(schedule.measure, schedule.end);
  outcome.end_ns = std::max(schedule.end, outcome.tally.ended_ns);
  if (outcome.tally.finished_ns < schedule.end) {  // a page count was reached
    outcome.end_ns = std::max(outcome.measure_ns, outcome.tally.last_response_ns);
  }
  const LoadConfig& config = impl_->setup.config();
  outcome.slot_plan = schedule.slots;
  outcome.target_rate = config.rate;
  outcome.clients = static_cast<std::uint64_t>(config.clients) * sides;
  outcome.threads = impl_->workers.size();
  outcome.tls = std::any_of(impl_->setup.targets.begin(), impl_->setup.targets.end(), [](const Target& target) { return target.url.tls; });
  return outcome;
}

}  // namespace lab::load
