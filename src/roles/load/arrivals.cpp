#include "roles/load/arrivals.hpp"

#include <cmath>

namespace lab::load {

double uniform(std::uint64_t& state) {
  state ^= state >> 12U;
  state ^= state << 25U;
  state ^= state >> 27U;
  return (static_cast<double>((state * 0x2545f4914f6cdd1dULL) >> 11U) + 1) * 0x1p-53;
}

// splitmix64's finaliser, so that neighbouring seeds and streams have nothing in common.
std::uint64_t seeded(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t mixed = seed + (stream + 1) * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  return (mixed ^ (mixed >> 31U)) | 1U;
}

Arrivals::Arrivals(const Plan& plan, std::int64_t origin_ns)
    : plan_(plan),
      origin_(origin_ns),
      gap_ns_(1e9 / plan.rate * static_cast<double>(plan.threads)),
      random_(seeded(plan.seed, plan.thread)) {
  advance();
}

void Arrivals::advance() {
  if (plan_.poisson) {
    elapsed_ns_ -= std::log(uniform(random_)) * gap_ns_;
    next_ = origin_ + std::llround(elapsed_ns_);
  } else {
    const double number = static_cast<double>(taken_) * static_cast<double>(plan_.threads) + static_cast<double>(plan_.thread);
    next_ = origin_ + std::llround(number * (1e9 / plan_.rate));
  }
}

void Arrivals::pop() {
  ++taken_;
  advance();
}

std::uint64_t Arrivals::due_before(std::int64_t end) const {
  constexpr std::uint64_t kSimulated = 1'000'000;
  if (next_ >= end) {
    return 0;
  }
  const auto left = static_cast<double>(end - 1 - next_);
  if (!plan_.poisson) {
    return static_cast<std::uint64_t>(left / gap_ns_) + 1;
  }
  Arrivals rest = *this;
  std::uint64_t count = 0;
  while (rest.next_ < end && count < kSimulated) {
    rest.pop();
    ++count;
  }
  return count + (rest.next_ < end ? static_cast<std::uint64_t>(static_cast<double>(end - rest.next_) / gap_ns_) : 0);
}

}  // namespace lab::load
