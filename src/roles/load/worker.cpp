#include "roles/load/worker.hpp"

#include <algorithm>
#include <ctime>

namespace lab::load {

namespace {

constexpr std::size_t kScratch = std::size_t{256} * 1024;

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Worker::Worker(const Setup& setup, net::TlsContext context, const std::vector<std::size_t>& clients, std::optional<std::uint64_t> pages)
    : setup_(setup),
      context_(std::move(context)),
      scratch_(kScratch),
      pages_left_(pages),
      start_(loop_, [this] { start(); }),
      measure_(loop_, [this] { on_measure(); }),
      end_(loop_, [this] { on_end(); }),
      drained_(loop_, [this] { give_up(); }),
      running_(clients.size()) {
  for (const std::size_t number : clients) {
    clients_.push_back(std::make_unique<Client>(*this, number));
  }
}

Worker::~Worker() = default;

void Worker::run() {
  loop_.run();
  if (cpu_at_measure_ >= 0 && !ended_) {
    tally_.cpu_ns = thread_cpu_ns() - cpu_at_measure_;
  }
  tally_.finished_ns = net::monotonic_now();
  finished_.store(true, std::memory_order_release);
}

void Worker::begin(const Schedule& schedule) {
  loop_.post([this, schedule] {
    schedule_ = schedule;
    start_.arm_at(schedule.start);
    measure_.arm_at(schedule.measure);
    end_.arm_at(schedule.end);
  });
}

void Worker::end_at(net::Nanos end, net::Nanos drained) {
  loop_.post([this, end, drained] {
    if (!ended_) {
      schedule_.end = std::max(end, tally_.last_response_ns + 1);  // what was counted before this message came stays counted
      schedule_.drained = drained;
      start_.cancel();
      on_end();
    }
  });
}

void Worker::cut_off() {
  loop_.post([this] { give_up(); });
}

void Worker::start() {
  if (schedule_.measure <= schedule_.start) {
    on_measure();
  }
  for (const auto& client : clients_) {
    client->begin_page();
  }
}

void Worker::on_measure() {
  if (cpu_at_measure_ < 0) {
    cpu_at_measure_ = thread_cpu_ns();
  }
}

void Worker::on_end() {
  if (ended_) {
    return;
  }
  ended_ = true;
  tally_.ended_ns = schedule_.end;
  if (cpu_at_measure_ >= 0) {
    tally_.cpu_ns = thread_cpu_ns() - cpu_at_measure_;
  }
  end_.cancel();
  drained_.arm_at(schedule_.drained);
  for (const auto& client : clients_) {
    client->wind_up();
  }
}

void Worker::give_up() {
  const net::Nanos now = net::monotonic_now();
  for (const auto& client : clients_) {
    if (const std::optional<net::Nanos> age = client->cut_off(now)) {
      ++tally_.cut_off;
      tally_.cut_off_ns += *age;
      tally_.oldest_cut_off_ns = std::max(tally_.oldest_cut_off_ns, *age);
    }
  }
}

Window Worker::window_of(net::Nanos instant) const {
  return instant < schedule_.measure ? Window::warmup : instant < schedule_.end ? Window::measure : Window::drain;
}

bool Worker::take_page(net::Nanos now) {
  if (now >= schedule_.end) {
    return false;
  }
  const Window window = window_of(now);
  if (pages_left_ && window == Window::measure) {
    if (*pages_left_ == 0) {
      return false;
    }
    --*pages_left_;
  }
  ++tally_.in(window).begun;
  live_.started.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Worker::client_finished() {
  if (--running_ == 0) {
    loop_.stop();
  }
}

}  // namespace lab::load
