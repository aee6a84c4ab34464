// A high-dynamic-range histogram of microseconds or nanoseconds: fixed memory, mergeable, 3 significant digits.
// The encoding is HdrHistogram's V2 (compressed), so that its own tools read our logs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::stats {

class Histogram {
 public:
  Histogram();  // 1 … 3,600,000,000,000 ns (one hour), 3 significant digits

  void record(std::uint64_t ns, std::uint64_t count = 1);  // what is beyond the range counts as its end
  void merge(const Histogram& other);
  void clear();

  std::uint64_t count() const { return total_; }
  std::uint64_t min() const { return total_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  double mean() const { return total_ == 0 ? 0.0 : sum_ / static_cast<double>(total_); }  // exact, not from buckets
  std::uint64_t percentile(double p) const;  // 0 … 100; the highest value equivalent to the bucket's

  std::string encode() const;  // base64 of the compressed V2 form, as it stands in a log line
  static bool decode(const std::string& text, Histogram& into);

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t total_ = 0, min_ = ~std::uint64_t{0}, max_ = 0;
  double sum_ = 0;
};

// A log of version 1.3 with one line an interval: start and length in seconds, maximum in ms, histogram of ns.
std::string hdr_log(const std::string& comment, double start_s, double length_s, const Histogram& histogram);

}  // namespace lab::stats
