#include "roles/load/worker.hpp"

#include <sys/prctl.h>
#include <algorithm>
#include <utility>

namespace lab::load {

namespace {

constexpr std::size_t kScratch = std::size_t{256} * 1024;

// One thread writes it: no locked instruction.
void increment(std::atomic<std::uint64_t>& count) { count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

}  // namespace

Worker::Worker(const Setup& setup, std::size_t number, std::vector<net::TlsContext> contexts, const std::vector<std::size_t>& clients,
               std::optional<std::uint64_t> pages)
    : setup_(setup),
      number_(number),
      contexts_(std::move(contexts)),
      scratch_(kScratch),
      head_caches_(setup.targets.size()),
      tallies_(setup.targets.size()),
      pages_left_(pages),
      start_(loop_, [this] { start(); }),
      measure_(loop_, [this] { on_measure(); }),
      end_(loop_, [this] { on_end(); }),
      drained_(loop_, [this] { give_up(); }),
      arrival_(loop_, [this] { on_arrival(); }),
      slot_(loop_, [this] { on_slot(); }),
      interval_(loop_, [this] { on_interval(); }),
      running_(clients.size() * setup.targets.size()) {
  for (std::size_t side = 0; side < setup.targets.size(); ++side) {
    for (const std::size_t client : clients) {
      clients_.push_back(std::make_unique<Client>(*this, setup.targets[side], side, client, tallies_[side]));
    }
  }
}

Worker::~Worker() = default;

void Worker::run() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // ns: arrivals are to be on time
  if (setup_.config().spin) {
    loop_.spin();
  }
  loop_.run();
  const net::Nanos now = net::monotonic_now();
  if (!ended_ && now >= schedule_.end) {  // the last client finished before the timer was looked at
    close_measurement();
  } else if (!ended_ && cpu_at_measure_ >= 0) {
    tallies_.front().cpu_ns = cpu_used() - cpu_at_measure_;
  }
  if (setup_.intervals && handed_over_.start_ns != 0) {
    hand_over_interval(now);
  }
  tallies_.front().finished_ns = now;
  finished_.store(true, std::memory_order_release);
}

void Worker::begin(const Schedule& schedule) {
  loop_.post([this, schedule] {
    schedule_ = schedule;
    middle_ = schedule.measure + (schedule.end - schedule.measure) / 2;
    start_.arm_at(schedule.start);
    measure_.arm_at(schedule.measure);
    end_.arm_at(schedule.end);
  });
}

void Worker::end_at(net::Nanos end, net::Nanos drained) {
  loop_.post([this, end, drained] {
    if (!ended_) {
      schedule_.end = std::max(end, changed_ + 1);  // what was counted before this message came stays counted
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
  const LoadConfig& config = setup_.config();
  if (config.rate) {
    arrivals_.emplace(Arrivals::Plan{*config.rate, config.poisson, config.seed, setup_.threads, number_},
                      schedule_.start + config.first_arrival.count());
  }
  if (schedule_.slots) {
    slots_.resize(schedule_.slots->slots());
    slot_.arm_at(schedule_.slots->begin(1));
  }
  if (setup_.intervals) {
    handed_over_.start_ns = schedule_.start;
    handed_over_.cpu_ns = cpu_used();
    interval_.arm_at(schedule_.start + kIntervalNs);
  }
  for (const auto& client : clients_) {
    ready(*client);
  }
}

// Without what was spun away: that is no work.
net::Nanos Worker::cpu_used() const { return net::thread_cpu_now() - loop_.spun(); }

void Worker::on_measure() {
  if (cpu_at_measure_ < 0) {
    cpu_at_measure_ = cpu_used();
  }
}

void Worker::close_measurement() {
  ended_ = true;
  tallies_.front().ended_ns = schedule_.end;
  if (cpu_at_measure_ >= 0) {
    tallies_.front().cpu_ns = cpu_used() - cpu_at_measure_;
  }
  count_unstarted(schedule_.end);
}

void Worker::on_end() {
  if (ended_) {
    return;
  }
  close_measurement();
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
      Tally& tally = tallies_[client->side()];
      ++tally.cut_off;
      tally.cut_off_ns += *age;
      tally.oldest_cut_off_ns = std::max(tally.oldest_cut_off_ns, *age);
    }
  }
}

Window Worker::window_of(net::Nanos instant) const {
  return instant < schedule_.measure ? Window::warmup : instant < schedule_.end ? Window::measure : Window::drain;
}

void Worker::ready(Client& client) {
  const net::Nanos now = net::monotonic_now();
  if (ended_ || now >= schedule_.end) {
    return client.finish();
  }
  if (schedule_.slots) {
    current_slot_ = schedule_.slots->slot_at(now);
    const bool turn = current_slot_ < slots_.size() && schedule_.slots->side(current_slot_) == client.side();
    if (!turn || !schedule_.slots->open(current_slot_, now)) {
      return park(client, now);
    }
  }
  if (!arrivals_) {
    begin_page(client, now, 0, now);
  } else if (arrivals_->next() <= now && parked_[0].empty()) {
    begin_page(client, now, arrivals_->next(), now);
  } else {
    park(client, now);
  }
}

void Worker::park(Client& client, net::Nanos now) {
  client.park();
  parked_[client.side()].push_back({&client, now});
  if (arrivals_) {
    arrival_.arm_at(arrivals_->next());
  }
}

// Whether one could begin; if not, the client has finished.
bool Worker::begin_page(Client& client, net::Nanos now, net::Nanos due, net::Nanos free_since) {
  if (!take_page(now)) {
    client.finish();
    return false;
  }
  if (arrivals_) {
    arrivals_->pop();
    if (window_of(now) == Window::measure) {
      tallies_.front().lateness.record(static_cast<std::uint64_t>(now - std::max(due, free_since)));
      ++tallies_.front().scheduled;
    }
  }
  if (schedule_.slots) {
    stats::Slot& slot = slots_[current_slot_];
    slot.first_ns = slot.first_ns == 0 ? now : slot.first_ns;
  }
  under_way_changed(now, 1);
  ++tallies_[client.side()].in(window_of(now)).begun;
  increment(live_.started);
  client.begin_page(now, due, current_slot_);
  return true;
}

bool Worker::take_page(net::Nanos now) {
  if (now >= schedule_.end) {
    return false;
  }
  if (pages_left_ && window_of(now) == Window::measure) {
    if (*pages_left_ == 0) {
      return false;
    }
    --*pages_left_;
  }
  return true;
}

void Worker::on_arrival() {
  while (!parked_[0].empty() && !ended_) {
    const net::Nanos now = net::monotonic_now();
    const net::Nanos due = arrivals_->next();
    if (due > now) {
      return arrival_.arm_at(due);
    }
    const Parked first = parked_[0].front();
    parked_[0].pop_front();
    if (!begin_page(*first.client, now, due, first.since)) {
      return finish_parked();
    }
  }
}

// The counted pages have all begun, or the time is over.
void Worker::finish_parked() {
  for (std::deque<Parked>& parked : parked_) {
    for (const Parked& one : std::exchange(parked, {})) {
      one.client->finish();
    }
  }
}

void Worker::on_slot() {
  const stats::SlotPlan& plan = *schedule_.slots;
  current_slot_ = plan.slot_at(net::monotonic_now());
  if (current_slot_ >= plan.slots()) {
    return;
  }
  slot_.arm_at(plan.begin(current_slot_ + 1));
  for (const Parked& one : std::exchange(parked_[plan.side(current_slot_)], {})) {
    ready(*one.client);
  }
}

void Worker::page_ended(std::size_t slot, net::Nanos began, net::Nanos now, bool good) {
  under_way_changed(now, -1);
  tallies_.front().overlap_ns += within_measurement(now) - within_measurement(began);
  increment(good ? live_.done : live_.failed);
  if (good && now >= middle_ && now < schedule_.end) {
    ++tallies_.front().second_half;
  }
  if (schedule_.slots) {
    stats::Slot& counts = slots_[slot];
    ++(good ? counts.done : counts.failed);
    counts.last_ns = good ? now : counts.last_ns;
    counts.late_ns = std::max(counts.late_ns, now - schedule_.slots->begin(slot + 1));
  }
}

void Worker::page_cut_off(std::size_t slot, net::Nanos began, net::Nanos now) {
  under_way_changed(now, -1);
  tallies_.front().overlap_ns += within_measurement(now) - within_measurement(began);
  if (schedule_.slots) {
    slots_[slot].late_ns = std::max(slots_[slot].late_ns, std::max<net::Nanos>(1, now - schedule_.slots->begin(slot + 1)));
  }
}

void Worker::under_way_changed(net::Nanos now, int change) {
  tallies_.front().busy_ns += static_cast<net::Nanos>(under_way_) * (within_measurement(now) - within_measurement(changed_));
  changed_ = now;
  under_way_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(change));
}

net::Nanos Worker::within_measurement(net::Nanos instant) const {
  return std::clamp(instant, schedule_.measure, std::max(schedule_.measure, schedule_.end));
}

// Those that were due, but found no client free.
void Worker::count_unstarted(net::Nanos end) {
  if (!arrivals_ || pages_left_) {
    return;
  }
  Tally& tally = tallies_.front();
  tally.unstarted = arrivals_->due_before(end);
  tally.scheduled += tally.unstarted;
  tally.oldest_unstarted_ns = tally.unstarted > 0 ? end - arrivals_->next() : 0;
}

void Worker::on_interval() {
  const net::Nanos now = net::monotonic_now();
  hand_over_interval(now);
  if (!ended_) {
    interval_.arm_at(std::max(schedule_.start + static_cast<net::Nanos>(handed_over_.number + 1) * kIntervalNs, now));
  }
}

// The difference to what was handed over before; histograms too, so that nothing is recorded twice on the way of a request.
void Worker::hand_over_interval(net::Nanos now) {
  Interval total;
  total.number = handed_over_.number + 1;
  total.start_ns = now;
  total.cpu_ns = cpu_used();
  total.started = live_.started.load(std::memory_order_relaxed);
  total.done = live_.done.load(std::memory_order_relaxed);
  total.failed = live_.failed.load(std::memory_order_relaxed);
  for (const Tally& tally : tallies_) {
    total.times.merge(arrivals_ ? tally.latency : tally.service);
  }
  Interval part;
  part.number = handed_over_.number;
  part.start_ns = handed_over_.start_ns;
  part.length_ns = now - handed_over_.start_ns;
  part.started = total.started - handed_over_.started;
  part.done = total.done - handed_over_.done;
  part.failed = total.failed - handed_over_.failed;
  part.cpu_ns = total.cpu_ns - handed_over_.cpu_ns;
  part.times = total.times.since(handed_over_.times);
  handed_over_ = std::move(total);
  intervals_.put(std::move(part));
}

void Worker::client_finished() {
  if (--running_ == 0) {
    loop_.stop();
  }
}

}  // namespace lab::load
