// A high-dynamic-range histogram of microseconds or nanoseconds: fixed memory, mergeable, 3 significant digits.
// The encoding is HdrHistogram's V2 (compressed), so that its own tools read our logs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::stats {

class Histogram {
 public:
  Histogram();  // 1 … 3,600,000,000,000 ns (one hour), 3 significant digits

  void record(std::uint64_t ns, std::uint64_t count = 1) {  // what is beyond the range counts as its end
    ns = std::min(ns, kHighest);
    buckets_[index_of(ns)] += count;
    total_ += count;
    sum_ += static_cast<double>(ns) * static_cast<double>(count);
    if (count > 0) {
      min_ = std::min(min_, ns);
      max_ = std::max(max_, ns);
    }
  }
  void merge(const Histogram& other);
  // What was recorded since `earlier`, an older copy of this one; its minimum and maximum are those of buckets.
  Histogram since(const Histogram& earlier) const;
  void clear();

  std::uint64_t count() const { return total_; }
  std::uint64_t min() const { return total_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  // Exact, not from buckets; after decode() from the middles of buckets.
  double mean() const { return total_ == 0 ? 0.0 : sum_ / static_cast<double>(total_); }
  std::uint64_t sum() const { return static_cast<std::uint64_t>(sum_); }  // ns; exact up to 2^53, 104 days
  std::uint64_t percentile(double p) const;                               // 0 … 100; the highest value equivalent to the bucket's

  std::string encode() const;  // base64 of the compressed V2 form, as it stands in a log line
  static bool decode(const std::string& text, Histogram& into);

 private:
  static constexpr std::uint64_t kLowest = 1, kHighest = 3'600'000'000'000;
  static constexpr unsigned kSubBucketBits = 11;  // 2 × 10^3 distinct values need 2,048
  static constexpr std::size_t kSubBuckets = std::size_t{1} << kSubBucketBits;
  static constexpr std::size_t kHalf = kSubBuckets / 2;
  static constexpr unsigned kDoublings = static_cast<unsigned>(std::bit_width(kHighest)) - kSubBucketBits;
  static constexpr std::size_t kBuckets = (kDoublings + 2) * kHalf;

  static std::size_t index_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value | (kSubBuckets - 1)));
    const unsigned doubling = width - kSubBucketBits;
    return doubling * kHalf + static_cast<std::size_t>(value >> doubling);
  }
  static std::uint64_t lowest_at(std::size_t index);
  static std::uint64_t highest_at(std::size_t index) { return lowest_at(index + 1) - 1; }
  static bool header_is_ours(std::string_view plain);

  std::vector<std::uint64_t> buckets_;
  std::uint64_t total_ = 0, min_ = ~std::uint64_t{0}, max_ = 0;
  double sum_ = 0;
};

// The lines before the first interval of a log of version 1.3; start in seconds since the epoch.
std::string hdr_log_head(const std::string& comment, double start_s);
// An interval: start (after the log's) and length in seconds, maximum in ms, histogram of ns.
std::string hdr_log_line(double start_s, double length_s, const Histogram& histogram);

// A log of version 1.3 with one line an interval: start and length in seconds, maximum in ms, histogram of ns.
std::string hdr_log(const std::string& comment, double start_s, double length_s, const Histogram& histogram);

}  // namespace lab::stats
