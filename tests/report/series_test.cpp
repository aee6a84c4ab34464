#include "report/series.hpp"

#include "sample.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;
namespace json = boost::json;

namespace {

Slice slice(std::int64_t start_ms, double s, std::uint64_t done, std::uint64_t webseal_us) {
  return {start_ms * 1'000'000, s, done, {{"webseal", webseal_us}}};
}

// Trial 1 single, trial 2 a pair of two slices a side.
Run one_of_each() {
  Run run;
  CellResult& cell = add_cell(run, "1", {{"page", "5.8KB"}}, {1000, 1000});
  cell.cpu_us_per_page = {{"tam", 1}, {"webseal", 400}};
  run.trials[0].sides[0].slices = {slice(300, 2, 2000, 800'000)};
  Trial& pair = run.trials[1];
  pair.kind = "pair";
  pair.ratio = 1.5;
  pair.sides.resize(2);
  pair.sides[1].cell = "1/page=12KB";
  pair.sides[0].slices = {slice(300, 0.1, 100, 40'000), slice(750, 0.1, 110, 41'000)};
  pair.sides[1].slices = {slice(450, 0.1, 150, 42'000), slice(600, 0.1, 160, 43'000)};
  run.shown = {1, 2};
  return run;
}

store::NodeSample sample(int trial, const std::string& node, std::int64_t at_ms, std::uint64_t cpu_us) {
  store::NodeSample one;
  one.trial = trial;
  one.node = node;
  one.at_ns = one.taken_ns = at_ms * 1'000'000;
  one.cpu_us = cpu_us;
  return one;
}

}  // namespace

TEST_CASE("a pair's slices have their sides, pages and CPU; what is not known is null") {
  const json::object data = series_data(one_of_each());
  CHECK(data.at("nodes").as_array().size() == 2);
  const json::value& pair = data.at("trials").at(1);
  CHECK(pair.at("trial") == 2);
  CHECK(pair.at("sides") == json::array{"1/page=5.8KB", "1/page=12KB"});
  CHECK(pair.at("ratio") == 1.5);
  CHECK(json::serialize(pair.at("rates")) == "[[3000,1000,0,100],[7500,1000,0,110],[4500,1000,1,150],[6000,1000,1,160]]");
  CHECK(json::serialize(pair.at("cpu")) == "[[3000,1000,null,400],[7500,1000,null,410],[4500,1000,null,420],[6000,1000,null,430]]");
}

TEST_CASE("a trial of one stretch has its CPU second by second, from samples") {
  Run run = one_of_each();
  run.samples = {sample(1, "webseal", 300, 1'000'000), sample(1, "webseal", 1300, 1'400'000), sample(1, "webseal", 2300, 1'750'000),
                 sample(1, "tam", 300, 500), sample(1, "tam", 2300, 10'500)};
  const json::object data = series_data(run);
  const json::value& single = data.at("trials").at(0);
  CHECK(json::serialize(single.at("rates")) == "[[3000,20000,0,2000]]");
  CHECK(json::serialize(single.at("cpu")) == "[[3000,10000,null,400],[13000,10000,null,350]]");
}

TEST_CASE("those that were asked for come first, then flagged and failed ones, then the others; those without slices are left out") {
  std::vector<Trial> trials(6);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].trial = static_cast<int>(i) + 1;
    trials[i].sides.resize(1);
    trials[i].sides[0].slices.resize(i == 0 ? 0 : 1);
  }
  trials[2].flags = {"indicative"};
  trials[3].flags = {"unsettled"};
  trials[4].failed = "gone";
  CHECK(trials_to_show(trials, {}) == std::vector<int>{4, 5, 2, 3, 6});
  CHECK(trials_to_show(trials, {6, 1}) == std::vector<int>{6, 1, 4, 5, 2, 3});
}

TEST_CASE("time series never make the page large, but for those that were asked for") {
  Run run;
  add_cell(run, "1", {{"page", "5.8KB"}}, std::vector<double>(200, 1000)).cpu_us_per_page = {{"webseal", 400}};
  for (Trial& trial : run.trials) {
    for (int i = 0; i < 400; ++i) {
      trial.sides[0].slices.push_back(slice(300 + i * 150, 0.1, 100, 40'000));
    }
  }
  run.shown = trials_to_show(run.trials, {});
  json::object data = series_data(run);
  const std::size_t fit = data.at("trials").as_array().size();
  CHECK(fit > 5);
  CHECK(fit < 100);
  CHECK(data.at("left_out") == 200 - fit);
  CHECK(json::serialize(data).size() < kMostSeries + 1000);
  run.shown = trials_to_show(run.trials, {190});
  run.asked = 1;
  data = series_data(run);
  CHECK(data.at("trials").as_array().back().at("trial") == 190);
  for (Slice& each : run.trials[189].sides[0].slices) {
    run.trials[189].notes.emplace_back(1000, 'x');
    each.done = 1;
  }
  CHECK(series_data(run).at("trials").as_array().size() == 1);
}
