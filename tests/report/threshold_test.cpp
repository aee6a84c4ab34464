#include "report/threshold.hpp"

#include "two_runs.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

ThresholdResult judged(const char* text) {
  const TwoRuns runs = two_runs();
  return judge(compare(runs.a, runs.b), *parse_threshold(text));
}

std::string why_not(const char* text) {
  const auto threshold = parse_threshold(text);
  REQUIRE_FALSE(threshold);
  CHECK(threshold.error().failure == Failure::usage);
  CHECK(has(threshold.error().remedy, "--fail-if 'throughput<-5%'"));
  return threshold.error().what;
}

}  // namespace

TEST_CASE("a threshold is a measure, a comparison and a change in percent") {
  const auto slower = parse_threshold("throughput<-5%");
  REQUIRE(slower);
  CHECK(slower->measure == Measure::throughput);
  CHECK(slower->below);
  CHECK(slower->ratio == Approx(0.95));
  CHECK(slower->text == "throughput<-5%");
  const auto dearer = parse_threshold(" cpu > +12.5% ");
  REQUIRE(dearer);
  CHECK(dearer->measure == Measure::cpu);
  CHECK_FALSE(dearer->below);
  CHECK(dearer->ratio == Approx(1.125));
  CHECK(parse_threshold("p99>20%")->measure == Measure::p99);
}

TEST_CASE("a malformed threshold is refused with an example") {
  CHECK(why_not("") == "\"\" is no threshold: neither < nor > is in it");
  CHECK(why_not("throughput=-5%") == "\"throughput=-5%\" is no threshold: neither < nor > is in it");
  CHECK(why_not("latency<5%") == "\"latency<5%\" is no threshold: \"latency\" is not compared");
  CHECK(why_not("throughput<-5") == "\"throughput<-5\" is no threshold: it does not end in %");
  CHECK(why_not("throughput<%") == "\"throughput<%\" is no threshold: \"\" is no number");
  CHECK(why_not("throughput<+-5%") == "\"throughput<+-5%\" is no threshold: \"+-5\" is no number");
  CHECK(why_not("throughput<5x%") == "\"throughput<5x%\" is no threshold: \"5x\" is no number");
  CHECK(why_not("throughput<nan%") == "\"throughput<nan%\" is no threshold: \"nan\" is no number");
  CHECK(why_not("throughput<=-5%") == "\"throughput<=-5%\" is no threshold: \"=-5\" is no number");
  CHECK(why_not("throughput<-100%") == "\"throughput<-100%\" is no threshold: a change lies above -100% and is at most 10000%");
}

TEST_CASE("a cell misses a threshold surely, holds it, or cannot tell") {
  const ThresholdResult slower = judged("throughput<-5%");
  CHECK(slower.missed == std::vector<std::string>{"1/page=5.8KB/cpus=1/clients=8"});
  CHECK(slower.held == 1);
  CHECK(slower.unknown == 1);
  CHECK(to_string(slower) == "throughput<-5%: missed by 1 cell, held by 1, 1 cannot tell, 1 measured in A alone");
  CHECK(judged("cpu>10%").missed.size() == 1);
  CHECK(judged("p99>10%").missed.size() == 1);
  CHECK(judged("throughput<-50%").missed.empty());
  CHECK(judged("throughput<-50%").held == 3);
}

TEST_CASE("what lies beyond a threshold by less than the noise floor does not surely miss it") {
  // 30% slower, noise floors of 2% together 2.8%: −29% is missed by too little.
  CHECK(judged("throughput<-29%").missed.empty());
  CHECK(judged("throughput<-27%").missed.size() == 1);
}

TEST_CASE("three passes miss no threshold surely") {
  Run a = named_run("a", 0.02), b = named_run("b", 0.02);
  add_measured(a, "1", {{"page", "5.8KB"}}, {100, 101, 102});
  add_measured(b, "1", {{"page", "5.8KB"}}, {10, 11, 12});
  const ThresholdResult found = judge(compare(a, b), *parse_threshold("throughput<-5%"));
  CHECK(found.missed.empty());
  CHECK(found.held == 0);
  CHECK(found.unknown == 1);
}
