#include "report/comparison_formats.hpp"

#include "store/read.hpp"

#include <boost/json.hpp>

namespace lab::report {

namespace json = boost::json;

namespace {

json::object to_json(const Interval& interval) { return {{"median", interval.median}, {"low", interval.low}, {"high", interval.high}}; }

json::object flags_json(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return {{"a", store::to_array(a)}, {"b", store::to_array(b)}};
}

std::string word(const std::string& text) {
  return text == "no difference beyond the noise" ? "no-difference" : text == "cannot tell" ? "cannot-tell" : text;
}

json::object to_json(const Change& change, const std::string& verdict) {
  return {{"a", to_json(change.a)},
          {"b", to_json(change.b)},
          {"passes", {{"a", change.logs_a.size()}, {"b", change.logs_b.size()}}},
          {"ratio", {{"value", change.ratio.median}, {"low", change.ratio.low}, {"high", change.ratio.high}}},
          {"coverage", change.coverage},
          {"p", change.p},
          {"corrected_p", change.corrected},
          {"least_p", change.least_p},
          {"noise_floor", change.noise_floor},
          {"verdict", word(verdict)},
          {"reason", change.reason}};
}

json::object to_json(const CellComparison& cell) {
  json::object axes;
  for (const auto& [name, value] : cell.axes) {
    axes[name] = value;
  }
  const auto measure = [&](Measure which) -> json::value {
    const auto& change = cell.of(which);
    return change ? json::value(to_json(*change, verdict_text(which, change->verdict))) : json::value();
  };
  return {{"id", cell.id},
          {"scenario", cell.scenario},
          {"axes", std::move(axes)},
          {"throughput", measure(Measure::throughput)},
          {"cpu", measure(Measure::cpu)},
          {"p99", measure(Measure::p99)},
          {"flags", flags_json(cell.flags_a, cell.flags_b)}};
}

json::object to_json(const PairComparison& pair) {
  return {{"a", pair.a},
          {"b", pair.b},
          {"ratio", to_json(pair.change, pair_verdict_text(pair.change.verdict))},
          {"flags", flags_json(pair.flags_a, pair.flags_b)}};
}

json::object to_json(const ComparedRun& run) {
  return {{"name", run.name}, {"started", run.started}, {"version", run.version}, {"noise_floor", run.noise_floor}};
}

json::object to_json(const Difference& difference) {
  return {{"what", difference.what}, {"a", difference.a}, {"b", difference.b}, {"why", difference.why}};
}

json::object to_json(const NotCompared& each) { return {{"what", each.what}, {"a", each.in_a}, {"b", each.in_b}}; }

json::object to_json(const ThresholdResult& result) {
  return {{"threshold", result.threshold.text},
          {"missed", store::to_array(result.missed)},
          {"held", result.held},
          {"cannot_tell", result.unknown},
          {"only_in_a", result.only_in_a}};
}

template <class T>
json::array all_of(const std::vector<T>& items) {
  json::array all;
  for (const T& item : items) {
    all.push_back(to_json(item));
  }
  return all;
}

}  // namespace

std::string comparison_json(const Comparison& comparison, const Thresholds& thresholds) {
  const Tally counts = tally(comparison);
  const json::object all{
      {"schema", 1},
      {"a", to_json(comparison.a)},
      {"b", to_json(comparison.b)},
      {"differences", all_of(comparison.differences)},
      {"cautions", store::to_array(comparison.cautions)},
      {"summary", {{"faster", counts.faster}, {"slower", counts.slower}, {"no-difference", counts.same}, {"cannot-tell", counts.unknown}}},
      {"cells", all_of(comparison.cells)},
      {"pairs", all_of(comparison.pairs)},
      {"not_compared", all_of(comparison.not_compared)},
      {"thresholds", all_of(thresholds)}};
  return json::serialize(all) + "\n";
}

}  // namespace lab::report
