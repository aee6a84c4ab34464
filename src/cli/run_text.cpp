#include "run_text.hpp"

#include "lab/units.hpp"
#include "report/claim_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace lab::cli {

namespace {

// "page=5.8KB cpus=1": the id without its scenario.
std::string axes_text(const std::vector<std::pair<std::string, std::string>>& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  return text;
}

std::string cell_line(const CellResult& cell, const std::set<std::string>& said) {
  if (cell.status != "measured") {
    return fmt::format("  {:<46} {}: {}\n", axes_text(cell.axes), cell.status, cell.reason);
  }
  std::vector<std::string> flags;
  std::copy_if(cell.flags.begin(), cell.flags.end(), std::back_inserter(flags),
               [&said](const std::string& flag) { return said.count(flag) == 0; });
  const Interval& rate = cell.pages_per_s;
  std::string line = fmt::format("  {:<46} {:>9} {:>9} {:>9} {:>3}  {:<10} {}", axes_text(cell.axes), rate_text(rate.median),
                                 rate_text(rate.low), rate_text(rate.high), rate.n, cell.limited_by, fmt::join(flags, ", "));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + (cell.reason.empty() ? "" : "  " + cell.reason) + "\n";
}

template <class Range, class Key>
std::map<std::string, int> count_by(const Range& range, Key key) {
  std::map<std::string, int> counts;
  for (const auto& item : range) {
    ++counts[key(item)];
  }
  return counts;
}

std::string counts_text(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

std::map<std::string, int> flag_counts(const std::vector<CellResult>& cells) {
  std::map<std::string, int> counts;
  for (const CellResult& cell : cells) {
    for (const std::string& flag : cell.flags) {
      ++counts[flag];
    }
  }
  return counts;
}

// Flags that every measured cell carries.
std::set<std::string> common_flags(const std::vector<CellResult>& cells, const std::map<std::string, int>& counts) {
  const auto measured = std::count_if(cells.begin(), cells.end(), [](const CellResult& cell) { return cell.status == "measured"; });
  std::set<std::string> common;
  for (const auto& [flag, count] : counts) {
    if (count == measured && measured > 1) {
      common.insert(flag);
    }
  }
  return common;
}

std::string pairs_text(const std::vector<PairResult>& pairs) {
  std::string text;
  for (const PairResult& pair : pairs) {
    text += fmt::format("  {}\n    against {}{}\n    {:.3f}  ({:.3f} to {:.3f}, n = {}; noise floor {})\n", pair.a, pair.b,
                        pair.kind == "aa" ? "  (A/A)" : "", pair.ratio.median, pair.ratio.low, pair.ratio.high, pair.ratio.n,
                        pair.noise_floor > 0 ? fmt::format("{:.1f}%", 100 * std::expm1(pair.noise_floor)) : "not known");
  }
  return text.empty() ? "" : "\npairs: the second ÷ the first, loaded in turn\n" + text;
}

std::string claims_text(const std::vector<ClaimResult>& claims) {
  if (claims.empty()) {
    return {};
  }
  std::string text =
      "claims: " + counts_text(count_by(claims, [](const ClaimResult& claim) { return report::verdict_text(claim); })) + "\n";
  for (const ClaimResult& claim : claims) {
    if (claim.verdict != "cannot-tell") {
      text += fmt::format("  {:<8} {:<40} published {:<10} measured {}\n", claim.verdict, report::claim_name(claim),
                          report::published_text(claim), report::measured_text(claim));
    }
  }
  return text;
}

}  // namespace

std::string rate_text(double pages_per_s) {
  if (pages_per_s < 1) {
    return fmt::format("{:.2f}", pages_per_s);
  }
  if (pages_per_s < 100) {
    return fmt::format("{:.1f}", pages_per_s);
  }
  std::string digits = fmt::format("{:.0f}", pages_per_s);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return digits;
}

std::string plan_text(const run::Plan& plan) {
  std::string text;
  for (const run::Cell& cell : plan.cells) {
    const auto skipped = plan.skipped.find(cell.id);
    text += skipped == plan.skipped.end() ? cell.id + "\n" : fmt::format("{}  skipped: {}\n", cell.id, skipped->second);
  }
  const auto kinds = count_by(plan.comparisons, [](const run::Comparison& one) {
    return one.kind == "aa" ? std::string("A/A") : one.kind == "pair" ? std::string("pairs") : std::string("single cells");
  });
  for (const run::Comparison& one : plan.comparisons) {
    if (one.sides.size() > 1) {
      text += fmt::format("{}: {} against {}\n", one.kind, one.sides[0], one.sides[1]);
    }
  }
  text += kinds.empty() ? "" : "each pass: " + counts_text(kinds) + "\n";
  return text + fmt::format("{} cells, {} skipped; {} trials of {} after {} warm-up: about {}\n", plan.cells.size(), plan.skipped.size(),
                            plan.trials.size(), format_duration(plan.timing.measure), format_duration(plan.timing.warmup),
                            format_duration(std::chrono::round<std::chrono::seconds>(run::estimated_time(plan))));
}

boost::json::object plan_json(const run::Plan& plan) {
  boost::json::array cells;
  for (const run::Cell& cell : plan.cells) {
    boost::json::object axes;
    for (const auto& [name, value] : cell.axes) {
      axes[name] = value;
    }
    const auto skipped = plan.skipped.find(cell.id);
    const bool runs = skipped == plan.skipped.end();
    cells.push_back(boost::json::object{{"id", cell.id},
                                        {"scenario", cell.scenario.id},
                                        {"axes", std::move(axes)},
                                        {"status", runs ? "runnable" : "skipped"},
                                        {"reason", runs ? std::string() : skipped->second}});
  }
  boost::json::array pairs;
  for (const run::Comparison& one : plan.comparisons) {
    if (one.sides.size() > 1) {
      pairs.push_back(boost::json::object{{"kind", one.kind}, {"a", one.sides[0]}, {"b", one.sides[1]}});
    }
  }
  return {{"cells", std::move(cells)},
          {"pairs", std::move(pairs)},
          {"trials", plan.trials.size()},
          {"seed", plan.seed},
          {"estimated_s", static_cast<double>(run::estimated_time(plan).count()) / 1e9}};
}

std::string summary_text(const Results& results) {
  const auto flags = flag_counts(results.cells);
  const auto common = common_flags(results.cells, flags);
  std::string text;
  std::string scenario;
  for (const CellResult& cell : results.cells) {
    if (cell.scenario != scenario) {
      scenario = cell.scenario;
      text +=
          fmt::format("\n{:<48} {:>9} {:>9} {:>9} {:>3}  {}\n", "scenario " + scenario, "pages/s", "low", "high", "n", "limited by, flags");
    }
    text += cell_line(cell, common);
  }
  text += pairs_text(results.pairs);
  text += "\ncells:  " + counts_text(count_by(results.cells, [](const CellResult& cell) { return cell.status; })) + "\n";
  if (!flags.empty()) {
    text += "flags:  " + counts_text(flags) +
            (common.empty() ? "" : fmt::format("; of every cell, and not repeated above: {}", fmt::join(common, ", "))) + "\n";
  }
  return text + claims_text(results.claims);
}

}  // namespace lab::cli
