#include "roles/load/intervals.hpp"

#include <algorithm>
#include <utility>

namespace lab::load {

void Interval::merge(const Interval& other) {
  number = other.number;
  start_ns = start_ns == 0 ? other.start_ns : std::min(start_ns, other.start_ns);
  length_ns = std::max(length_ns, other.length_ns);
  started += other.started;
  done += other.done;
  failed += other.failed;
  cpu_ns += other.cpu_ns;
  times.merge(other.times);
}

void IntervalQueue::put(Interval interval) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(interval));
}

std::deque<Interval> IntervalQueue::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void IntervalMerger::add(const std::deque<Interval>& intervals) {
  for (const Interval& interval : intervals) {
    if (interval.number < first_) {
      continue;
    }
    while (first_ + parts_.size() <= interval.number) {
      parts_.emplace_back();
    }
    Part& part = parts_[interval.number - first_];
    part.interval.merge(interval);
    ++part.workers;
  }
}

std::vector<Interval> IntervalMerger::ready(bool all_ended) {
  std::vector<Interval> whole;
  while (!parts_.empty() && (all_ended || parts_.front().workers == workers_)) {
    whole.push_back(std::move(parts_.front().interval));
    parts_.pop_front();
    ++first_;
  }
  return whole;
}

}  // namespace lab::load
