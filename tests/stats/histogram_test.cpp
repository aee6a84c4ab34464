#include "stats/histogram.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using lab::stats::Histogram;

namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

// The value that a sorted list has at a percentile: the smallest with at least p% at or below it.
std::uint64_t exact_percentile(const std::vector<std::uint64_t>& sorted, double p) {
  const auto rank = static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::vector<std::uint64_t> sample(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0, std::log(3.6e12));
  std::vector<std::uint64_t> values(count);
  std::generate(values.begin(), values.end(), [&] { return static_cast<std::uint64_t>(std::exp(exponent(random))); });
  return values;
}

Histogram of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const std::uint64_t value : values) {
    histogram.record(value);
  }
  return histogram;
}

}  // namespace

TEST_CASE("an empty histogram has nothing to say") {
  const Histogram empty;
  CHECK(empty.count() == 0);
  CHECK(empty.min() == 0);
  CHECK(empty.max() == 0);
  CHECK(empty.mean() == 0.0);
  CHECK(empty.percentile(99) == 0);
}

TEST_CASE("percentiles are within a thousandth of the exact ones, over nine decades") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<std::uint64_t> values = sample(seed, 1 + seed * 97);
    const Histogram histogram = of(values);
    std::sort(values.begin(), values.end());
    for (const double p : {0.0, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      CAPTURE(seed, p);
      const std::uint64_t exact = exact_percentile(values, p);
      CHECK(histogram.percentile(p) >= exact);
      CHECK(histogram.percentile(p) <= exact + exact / 1000);
    }
    CHECK(histogram.min() == values.front());
    CHECK(histogram.max() == values.back());
    CHECK(histogram.count() == values.size());
  }
}

TEST_CASE("small values are exact") {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 2048; ++value) {
    histogram.record(value);
  }
  CHECK(histogram.percentile(50) == 1023);
  CHECK(histogram.percentile(100.0 / 2048) == 0);
  CHECK(histogram.mean() == 1023.5);
}

TEST_CASE("ten million values: count and mean are exact, in the memory of one") {
  Histogram histogram;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    histogram.record(1'000'000 + i % 1000, 10);
  }
  CHECK(histogram.count() == 10'000'000);
  CHECK(histogram.mean() == 1'000'499.5);
}

TEST_CASE("what is beyond an hour counts as an hour") {
  Histogram histogram;
  histogram.record(~std::uint64_t{0});
  CHECK(histogram.max() == kHour);
  CHECK(histogram.percentile(50) == kHour);
}

TEST_CASE("merging is recording everything in one") {
  const std::vector<std::uint64_t> a = sample(1, 500);
  std::vector<std::uint64_t> all = sample(2, 700);
  Histogram merged = of(all);
  merged.merge(of(a));
  all.insert(all.end(), a.begin(), a.end());
  const Histogram whole = of(all);
  CHECK(merged.encode() == whole.encode());
  CHECK(merged.count() == whole.count());
  CHECK(merged.mean() == Approx(whole.mean()));
  merged.clear();
  CHECK(merged.count() == 0);
  CHECK(merged.encode() == Histogram().encode());
}

TEST_CASE("its own encoding decodes to the same histogram") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Histogram original = of(sample(seed, seed * 53));
    original.record(kHour, std::uint64_t{1} << 40);
    Histogram decoded;
    REQUIRE(Histogram::decode(original.encode(), decoded));
    CHECK(decoded.encode() == original.encode());
    CHECK(decoded.count() == original.count());
    CHECK(decoded.percentile(50) == original.percentile(50));
    CHECK(decoded.mean() == Approx(original.mean()).epsilon(0.001));
  }
  Histogram decoded = of({5});
  REQUIRE(Histogram::decode(Histogram().encode(), decoded));
  CHECK(decoded.count() == 0);
}

TEST_CASE("what is no histogram of ours is refused and changes nothing") {
  const std::string good = of({1, 2, 3}).encode();
  Histogram kept = of({7});
  for (const std::string& text : {std::string(), std::string("HISTFAAA"), std::string("?") + good, good.substr(0, good.size() - 4),
                                  good + good, std::string(400, 'A')}) {
    CAPTURE(text);
    CHECK_FALSE(Histogram::decode(text, kept));
    CHECK(kept.percentile(50) == 7);
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = damaged[i] == 'B' ? 'C' : 'B';
    Histogram into;
    Histogram::decode(damaged, into);  // must not crash; zlib's checksum tells most of them
  }
}

TEST_CASE("a log has the header that HdrHistogram's tools look for, and one line an interval") {
  Histogram histogram;
  histogram.record(2'500'000);
  const std::string log = lab::stats::hdr_log("Logged by lab", 1700000000.25, 2.0, histogram);
  CHECK(log ==
        "#[Logged by lab]\n"
        "#[Histogram log format version 1.3]\n"
        "#[StartTime: 1700000000.250 (seconds since epoch)]\n"
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
        "0.000,2.000,2.500," +
            histogram.encode() + "\n");
  CHECK(histogram.encode().substr(0, 6) == "HISTFA");
}
