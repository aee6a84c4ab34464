#include "report/key_findings.hpp"

#include "report/scenario.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace lab::report {

namespace {

enum class Amount { factor, share };  // "multiplies throughput by 1.92" | "lowers throughput by 35%"

struct Change {
  std::string subject, noun;  // "A second gateway CPU", "a second gateway CPU"
  Amount amount = Amount::factor;
  std::string_view axis;       // what changes; "": the scenario
  std::string_view by = "";    // the axis whose values get a number each
  std::string_view with = "";  // what stands before such a value: "at" 5.8 KB
};

struct Comparison {
  std::string where;  // "scenario 2 against 1"
  std::vector<Effect> effects;
};

std::string setting_of(const Effect& effect, const Cells& sides, const Change& change) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : effect.b->axes) {
    if (name != change.axis && name != change.by && varies(sides, name)) {
      parts.push_back(name == "cpus" ? value + (value == "1" ? " gateway CPU" : " gateway CPUs") : axis_text(name, value));
    }
  }
  return join(parts, ", ");
}

// The first setting, in the order of the playbook, in which an effect is certain.
std::pair<std::string, std::vector<Effect>> telling_setting(const std::vector<Effect>& effects, const Change& change) {
  Cells sides;
  std::ranges::transform(effects, std::back_inserter(sides), &Effect::b);
  const auto sure = std::ranges::find_if(effects, &Effect::certain);
  const std::string setting = setting_of(*sure, sides, change);
  std::vector<Effect> those;
  std::ranges::copy_if(effects, std::back_inserter(those), [&](const Effect& each) { return setting_of(each, sides, change) == setting; });
  return {setting, those};
}

std::string circumstance(const Effect& effect, const Change& change) {
  const std::string value = axis(*effect.b, change.by);
  return value.empty() ? "" : fmt::format(" {} {}", change.with, axis_text(change.by, value));
}

// "multiplies throughput by 1.30 at 5.8 KB and 1.62 at 12 KB", "lowers throughput by 35%".
std::string amounts(const std::vector<Effect>& sure, const Change& change) {
  const bool factor = change.amount == Amount::factor;
  const bool less = std::ranges::all_of(sure, [](const Effect& each) { return each.ratio.median < 1; });
  const bool more = std::ranges::all_of(sure, [](const Effect& each) { return each.ratio.median > 1; });
  std::vector<std::string> parts;
  for (const Effect& each : sure) {
    const double ratio = each.ratio.median;
    const std::string figure = factor ? plain_ratio(ratio) : less || more ? percent(std::abs(ratio - 1)) : report::change(ratio);
    parts.push_back(figure + circumstance(each, change));
  }
  const char* verb = factor ? "multiplies" : less ? "lowers" : more ? "raises" : "changes";
  return fmt::format("{} throughput by {}", verb, listing(parts));
}

int fewest_blocks(const std::vector<Effect>& effects) {
  return std::ranges::min_element(effects, {}, [](const Effect& each) { return each.ratio.n; })->ratio.n;
}

// What stands in parentheses: of a lone number its interval, then the setting, the scenario and every reservation.
std::string remarks(const std::vector<Effect>& shown, const std::string& setting, const Comparison& comparison, const Change& change) {
  const auto sure = certain(shown);
  const int blocks = fewest_blocks(sure);
  std::vector<std::string> parts;
  if (sure.size() == 1) {
    const auto as = change.amount == Amount::factor ? plain_ratio : report::change;
    parts.push_back(fmt::format("{} {} to {}", blocks < kEnoughRepeats ? "range" : "95% interval", as(sure.front().ratio.low),
                                as(sure.front().ratio.high)));
  }
  if (!setting.empty()) {
    parts.push_back(setting);
  }
  parts.push_back(comparison.where);
  for (const Effect& each : shown) {
    if (!each.certain()) {
      parts.push_back("not to be told from noise" + circumstance(each, change));
    }
  }
  if (const auto all = certain(comparison.effects).size(); all < comparison.effects.size()) {
    parts.push_back(fmt::format("told from noise in {} of {} comparisons", all, comparison.effects.size()));
  }
  if (blocks < kEnoughRepeats) {
    parts.push_back(fmt::format("indicative: {}", count(static_cast<std::size_t>(blocks), "repeat", "repeats")));
  }
  if (const auto flags = doubts_of(sure); !flags.empty()) {
    parts.push_back("flagged: " + join(flags, ", "));
  }
  return join(parts, "; ");
}

// From the first comparison that can tell the effect; where none can, that it cannot be told; nothing without any.
void about(const Change& change, const std::vector<Comparison>& comparisons, std::vector<std::string>& out) {
  for (const Comparison& each : comparisons) {
    if (!certain(each.effects).empty()) {
      const auto [setting, shown] = telling_setting(each.effects, change);
      out.push_back(fmt::format("{} {} ({}).", change.subject, amounts(certain(shown), change), remarks(shown, setting, each, change)));
      return;
    }
  }
  if (!comparisons.empty()) {
    out.push_back(fmt::format("The effect of {} cannot be told from noise ({}).", change.noun, comparisons.front().where));
  }
}

std::vector<Comparison> within_scenarios(const Run& run, std::string_view axis, const std::string& from, const std::string& to) {
  std::vector<Comparison> comparisons;
  for (const ScenarioView& view : scenarios(run)) {
    if (auto effects = effects_between(run, view, axis, from, to); !effects.empty()) {
      comparisons.push_back({"scenario " + view.id, std::move(effects)});
    }
  }
  return comparisons;
}

bool alike_but_for_tls(const Scenario& of, const Scenario& against) {
  JunctionPlan junction = of.junction;
  junction.point = against.junction.point;
  return of.https && !against.https && junction == against.junction &&
         (of.login == LoginMode::every) == (against.login == LoginMode::every);
}

// The servers behind them may differ: it takes one that speaks TLS, and one that does not.
bool alike_but_for_junction(const Scenario& of, const Scenario& against) {
  return of.junction.type == JunctionType::ssl && against.junction.type == JunctionType::tcp && of.https == against.https &&
         of.login == against.login && of.tls == against.tls && of.junction.identity == against.junction.identity;
}

std::vector<Comparison> across_scenarios(const Run& run, bool (*alike)(const Scenario&, const Scenario&)) {
  std::vector<Comparison> comparisons;
  const auto views = scenarios(run);
  for (const ScenarioView& against : views) {
    for (const ScenarioView& of : views) {
      if (of.settings == nullptr || against.settings == nullptr || !alike(*of.settings, *against.settings)) {
        continue;
      }
      if (auto effects = effects_across(run, of.id, against.id); !effects.empty()) {
        comparisons.push_back({fmt::format("scenario {} against {}", of.id, against.id), std::move(effects)});
      }
    }
  }
  return comparisons;
}

std::string score(const Results& results) {
  std::map<std::string, std::size_t> verdicts;
  std::set<std::string> claims;
  for (const ClaimResult& claim : results.claims) {
    ++verdicts[claim.verdict];
    claims.insert(claim.id);
  }
  const std::string settings = claims.size() == results.claims.size() ? "" : fmt::format(", in {} settings", results.claims.size());
  return fmt::format("{} checked{}: {} agree, {} differ, {} cannot be told from this run.",
                     count(claims.size(), "published claim", "published claims"), settings, verdicts["agrees"], verdicts["differs"],
                     verdicts["cannot-tell"]);
}

}  // namespace

std::vector<std::string> key_findings(const Run& run) {
  const Change cpu{"A second gateway CPU", "a second gateway CPU", Amount::factor, "cpus"};
  const Change crypto{"Hardware crypto", "hardware crypto", Amount::factor, "crypto", "page", "at"};
  const Change tls{"TLS towards the clients", "TLS towards the clients", Amount::share, "", "crypto", "with"};
  const Change junction{"An SSL junction", "an SSL junction", Amount::share, "", "crypto", "with"};
  const Change log{"Writing no log", "writing no log", Amount::share, "log"};
  std::vector<std::string> out;
  about(cpu, within_scenarios(run, "cpus", "1", "2"), out);
  about(crypto, within_scenarios(run, "crypto", "software", "hardware"), out);
  about(tls, across_scenarios(run, alike_but_for_tls), out);
  about(junction, across_scenarios(run, alike_but_for_junction), out);
  about(log, within_scenarios(run, "log", "file", "null"), out);
  if (!run.results.claims.empty()) {
    out.push_back(score(run.results));
  }
  return out;
}

}  // namespace lab::report
