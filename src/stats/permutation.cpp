#include "permutation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

namespace lab::stats {

namespace {

constexpr double kSame = 1e-9;         // relative: two sums of the same values in another order
constexpr float kSameFloat = 1e-5F;    // likewise, after rounding to float
constexpr std::uint64_t kSeed = 2007;  // of the relabellings at random

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double choose(std::size_t n, std::size_t k) {
  double ways = 1;
  for (std::size_t i = 1; i <= k; ++i) {
    ways *= static_cast<double>(n - k + i) / static_cast<double>(i);
  }
  return std::round(ways);
}

// Both samples, centred, those of a first.
class Pool {
 public:
  Pool(const std::vector<double>& a, const std::vector<double>& b) : m_(a.size()), values_(a) {
    values_.insert(values_.end(), b.begin(), b.end());
    const double centre = mean(values_);
    for (double& value : values_) {
      value -= centre;
      squares_ += value * value;
    }
    sum_a_ = std::accumulate(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(m_), 0.0);
  }

  std::size_t size() const { return values_.size(); }
  std::size_t size_a() const { return m_; }
  double spread() const { return std::sqrt(squares_); }

  struct Dealt {
    double t = 0;
    double swapped = 0;  // mean of what came from b − mean of what went there: the shift at which this dealing equals the one seen
    bool seen = false;   // nothing was swapped
  };
  Dealt deal(const std::vector<std::size_t>& as_a) const {
    double kept = 0, came = 0;
    std::size_t coming = 0;
    for (const std::size_t i : as_a) {
      (i < m_ ? kept : came) += values_[i];
      coming += i < m_ ? 0 : 1;
    }
    if (coming == 0) {
      return {t_of(sum_a_), 0, true};
    }
    return {t_of(kept + came), (came - (sum_a_ - kept)) / static_cast<double>(coming), false};
  }

  // The values are centred, so that the sum of b is minus that of a.
  double t_of(double sum_a) const {
    const auto m = static_cast<double>(m_), n = static_cast<double>(size() - m_);
    const double between = sum_a * sum_a * (1 / m + 1 / n);
    const double within = squares_ - between;
    if (between <= kSame * squares_) {
      return 0;
    }
    return within <= kSame * squares_ ? std::numeric_limits<double>::infinity() : std::sqrt(between / within * (m + n - 2));
  }

 private:
  std::size_t m_;
  std::vector<double> values_;
  double squares_ = 0, sum_a_ = 0;
};

// The next of all ascending choices of chosen.size() out of n; false after the last.
bool advance(std::vector<std::size_t>& chosen, std::size_t n) {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (chosen[i] < n - chosen.size() + i) {
      ++chosen[i];
      for (std::size_t j = i + 1; j < chosen.size(); ++j) {
        chosen[j] = chosen[j - 1] + 1;
      }
      return true;
    }
  }
  return false;
}

std::vector<Pool::Dealt> every(const Pool& pool) {
  std::vector<Pool::Dealt> all;
  std::vector<std::size_t> chosen(pool.size_a());
  std::iota(chosen.begin(), chosen.end(), 0U);
  while (advance(chosen, pool.size())) {  // the first is the one seen
    all.push_back(pool.deal(chosen));
  }
  return all;
}

std::vector<Pool::Dealt> some(const Pool& pool, std::size_t wanted) {
  std::vector<Pool::Dealt> all;
  std::vector<std::size_t> cards(pool.size());
  std::iota(cards.begin(), cards.end(), 0U);
  std::mt19937_64 random(kSeed);
  std::vector<std::size_t> chosen(pool.size_a());
  while (all.size() < wanted) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::swap(cards[i], cards[i + random() % (cards.size() - i)]);
      chosen[i] = cards[i];
    }
    if (const Pool::Dealt dealt = pool.deal(chosen); !dealt.seen) {
      all.push_back(dealt);
    }
  }
  return all;
}

// Garthwaite 1996; Ernst 2004, section 3: the interval's ends are order statistics of the differences between what was swapped.
void fill(Shift& shift, std::vector<double>& swapped, double spread) {
  const double all = static_cast<double>(swapped.size()) + 1;
  const std::size_t rank = std::max<std::size_t>(1, (swapped.size() + 1) / 40);  // 2.5% on each side
  std::sort(swapped.begin(), swapped.end());
  shift.low = swapped[rank - 1];
  shift.high = swapped[swapped.size() - rank];
  shift.coverage = 1 - 2 * static_cast<double>(rank) / all;
  shift.least_p = std::min(1.0, 2 / all);
  const double tie = kSame * spread;
  const auto at_most = std::upper_bound(swapped.begin(), swapped.end(), tie) - swapped.begin();
  const auto at_least = swapped.end() - std::lower_bound(swapped.begin(), swapped.end(), -tie);
  shift.p = std::min(1.0, 2 * (1 + static_cast<double>(std::min(at_most, at_least))) / all);
}

}  // namespace

double Permutation::reached(double size) const {
  const auto least = static_cast<float>(size) * (1 - kSameFloat);
  const auto beyond = others.end() - std::lower_bound(others.begin(), others.end(), least);
  const double self = static_cast<float>(t) >= least ? 1 : 0;
  return (static_cast<double>(beyond) + self) / (static_cast<double>(others.size()) + 1);
}

std::size_t relabellings_for(std::size_t comparisons) {
  constexpr std::size_t kKept = 20'000'000, kLeast = 1000;
  return std::clamp(kKept / std::max<std::size_t>(1, comparisons), kLeast, kRelabellings);
}

Permutation permute(const std::vector<double>& a, const std::vector<double>& b, std::size_t most) {
  Permutation result;
  if (a.empty() || b.empty()) {
    return result;
  }
  result.shift.by = result.shift.low = result.shift.high = mean(b) - mean(a);
  if (a.size() < 2 || b.size() < 2) {
    return result;
  }
  const Pool pool(a, b);
  const auto dealt = choose(pool.size(), pool.size_a()) <= static_cast<double>(most) ? every(pool) : some(pool, most);
  std::vector<double> swapped;
  swapped.reserve(dealt.size());
  result.others.reserve(dealt.size());
  for (const Pool::Dealt& each : dealt) {
    swapped.push_back(each.swapped);
    result.others.push_back(static_cast<float>(each.t));
  }
  std::sort(result.others.begin(), result.others.end());
  result.t = pool.t_of((mean(a) - mean(b)) * static_cast<double>(a.size() * b.size()) / static_cast<double>(pool.size()));
  fill(result.shift, swapped, pool.spread());
  return result;
}

}  // namespace lab::stats
