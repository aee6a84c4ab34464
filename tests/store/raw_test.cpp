#include "store/raw.hpp"

#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::store;

namespace {

stats::Histogram of(std::initializer_list<std::uint64_t> values) {
  stats::Histogram histogram;
  for (const std::uint64_t value : values) {
    histogram.record(value);
  }
  return histogram;
}

}  // namespace

TEST_CASE("a side's histogram has its own name, that of latency another one") {
  CHECK(histogram_name(7, 0, 1, Times::service) == "histograms/trial-0007.hlog");
  CHECK(histogram_name(7, 1, 2, Times::service) == "histograms/trial-0007-2.hlog");
  CHECK(histogram_name(12345, 0, 2, Times::latency) == "histograms/trial-12345-1-latency.hlog");
}

TEST_CASE("the intervals of a log are merged; what is missing or damaged is nothing") {
  const TemporaryFolder folder;
  const auto log = folder.path() / "a.hlog";
  std::ofstream(log) << stats::hdr_log("cell", 0, 1, of({1000, 2000})) << stats::hdr_log_line(1, 1, of({3000}));
  const auto read = read_histogram(log);
  REQUIRE(read.has_value());
  CHECK(read->count() == 3);
  CHECK(read->percentile(50) == 2000);
  CHECK_FALSE(read_histogram(folder.path() / "none.hlog").has_value());
  std::ofstream(log) << stats::hdr_log_head("cell", 0) << "0.000,1.000,1.000,notahistogram\n";
  CHECK_FALSE(read_histogram(log).has_value());
  std::ofstream(log) << stats::hdr_log_head("cell", 0);
  CHECK_FALSE(read_histogram(log).has_value());
}

TEST_CASE("samples are read of the trials that are asked for, without rows that are torn") {
  const TemporaryFolder folder;
  CHECK(read_samples(folder.path(), {1}).empty());
  std::ofstream(folder.path() / "samples.csv") << "trial,node,at_ns,taken_ns,cpu_us,…\n"
                                                  "1,webseal,-5,7,100,1,2,3,4,5,6,7\n"
                                                  "2,webseal,0,7,200,1,2,3,4,5,6,7\n"
                                                  "1,tam,9,x,100,1,2,3,4,5,6,7\n"
                                                  "1,tam,9,10,100,1,2,3";
  const auto samples = read_samples(folder.path(), {1});
  REQUIRE(samples.size() == 1);
  CHECK(samples[0].node == "webseal");
  CHECK(samples[0].at_ns == -5);
  CHECK(samples[0].taken_ns == 7);
  CHECK(samples[0].cpu_us == 100);
  CHECK(samples[0].accounted == 7);
  CHECK(read_samples(folder.path(), {1, 2}).size() == 2);
}
