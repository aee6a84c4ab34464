#include "claims.hpp"

#include "median.hpp"
#include "selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

namespace lab::stats {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Cells = std::vector<const CellResult*>;
// What the number of a trial so flagged says is not about the gateway.
constexpr std::array<std::string_view, 4> kNotTheGateway{"unsaturated", "driver-bound", "backend-bound", "throttled"};

struct Range {  // of the values that a claim allows; ends included
  double low = -kInfinity, high = kInfinity;
  double floor = 0;  // an order: a |log ratio| of no more is called no effect
};

// What a verdict rests on: values by block, from pairs where all that they compare was paired.
struct Evidence {
  Blocks blocks;
  bool paired = false;
  double floor = 0;                                        // of the pairs
  std::vector<std::pair<std::string, std::string>> pairs;  // of cells
};

std::string print(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

// As many digits as were published: 1.043 stays so.
std::string as_published(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.0f%%", share * 100);
  return text.data();
}

std::string join(const std::string& first, const std::string& second) {
  return first.empty() ? second : second.empty() ? first : first + "; " + second;
}

const char* kind_name(Claim::Kind kind) {
  switch (kind) {
    case Claim::Kind::ratio: return "ratio";
    case Claim::Kind::share: return "share";
    case Claim::Kind::order: return "order";
    case Claim::Kind::below: return "below";
    case Claim::Kind::stated: return "stated";
  }
  return "";
}

std::string published_text(const Claim& claim) {
  if (claim.published) {
    return as_published(*claim.published);
  }
  return claim.limit ? "below " + print(*claim.limit) : std::string(kind_name(claim.kind));
}

ClaimResult blank(const Claim& claim) {
  ClaimResult result;
  result.id = claim.id;
  result.says = claim.says;
  result.kind = kind_name(claim.kind);
  result.published = published_text(claim);
  result.tolerance = claim.published ? claim.tolerance : 0;
  result.reason = claim.note;
  return result;
}

const char* verdict_of(const Interval& measured, const Range& allowed) {
  if (allowed.floor > 0) {
    const double beyond = std::exp(allowed.floor);
    return measured.low > beyond ? "agrees" : measured.high < 1 / beyond ? "differs" : "cannot-tell";
  }
  if (measured.low >= allowed.low && measured.high <= allowed.high) {
    return "agrees";
  }
  return measured.high < allowed.low || measured.low > allowed.high ? "differs" : "cannot-tell";
}

std::string allowed_text(const Range& allowed) {
  if (allowed.low == -kInfinity) {
    return "at most " + print(allowed.high);
  }
  return allowed.high == kInfinity ? "above " + print(allowed.low) : print(allowed.low) + " to " + print(allowed.high);
}

std::string why(const Interval& measured, const Range& allowed, std::string_view verdict) {
  const std::string interval = print(measured.low) + " to " + print(measured.high);
  const std::string range = allowed_text(allowed);
  if (measured.n < kEnoughForInterval) {
    const std::string leaning = verdict == "agrees" ? "all within" : verdict == "differs" ? "all outside" : "not all on one side of";
    return "indicative only: the range of " + std::to_string(measured.n) + " blocks, " + interval + " (" + leaning + " " + range +
           "), covers " + percent(range_coverage(measured.n)) + ", and 95% takes " + std::to_string(kEnoughForInterval);
  }
  if (allowed.floor > 0 && verdict == "cannot-tell") {
    return "the interval " + interval + " is not beyond the noise floor of " + percent(std::expm1(allowed.floor));
  }
  return "the interval " + interval +
         (verdict == "agrees"    ? " lies within "
          : verdict == "differs" ? " lies outside "
                                 : " overlaps the edge of ") +
         range;
}

bool holds_pair(const Trial& trial, const std::pair<std::string, std::string>& pair) {
  return trial.kind == "pair" && trial.sides.size() == 2 &&
         ((trial.sides[0].cell == pair.first && trial.sides[1].cell == pair.second) ||
          (trial.sides[0].cell == pair.second && trial.sides[1].cell == pair.first));
}

// Whether a verdict about the cell rests on the trial.
bool counts_for(const Trial& trial, const std::string& cell, const Evidence& evidence) {
  const bool here = std::any_of(trial.sides.begin(), trial.sides.end(), [&](const Side& side) { return side.cell == cell; });
  return here && trial.kind != "aa" && trial.failed.empty() &&
         (!evidence.paired ||
          std::any_of(evidence.pairs.begin(), evidence.pairs.end(), [&](const auto& pair) { return holds_pair(trial, pair); }));
}

// The flags of the cells' trials, each with how many carry it: "unsaturated (2 of 3 trials of 2/…)".
struct Doubts {
  std::string refused;  // most trials of a cell were not limited by the gateway
  std::string noted;    // the rest
};

Doubts doubts_about(const Cells& cells, const std::vector<Trial>& trials, const Evidence& evidence) {
  Doubts doubts;
  for (const CellResult* cell : cells) {
    std::map<std::string, int> flags;
    int all = 0;
    for (const Trial& trial : trials) {
      if (!counts_for(trial, cell->id, evidence)) {
        continue;
      }
      ++all;
      for (const std::string& flag : trial.flags) {
        ++flags[flag];
      }
    }
    for (const auto& [flag, count] : flags) {
      const std::string text = flag + " (" + std::to_string(count) + " of " + std::to_string(all) + " trials of " + cell->id + ")";
      const bool serious = std::find(kNotTheGateway.begin(), kNotTheGateway.end(), flag) != kNotTheGateway.end();
      std::string& into = serious && 2 * count > all ? doubts.refused : doubts.noted;
      into = join(into, text);
    }
  }
  return doubts;
}

// Whether it is about what the gateway can do: throughput is, CPU shares are what they are.
bool of_throughput(const Claim& claim) {
  return claim.metric == Claim::Metric::pages_per_s || claim.metric == Claim::Metric::pages_per_s_per_client;
}

void conclude(ClaimResult& result, const Claim& claim, const Range& allowed, const Cells& cells, const std::vector<Trial>& trials,
              const Evidence& evidence = {}) {
  if (result.measured.n == 0) {
    result.reason = join("no block has a value for every side", claim.note);
    return;
  }
  const std::string_view verdict = verdict_of(result.measured, allowed);
  const Doubts doubts = doubts_about(cells, trials, evidence);
  const bool refused = of_throughput(claim) && !doubts.refused.empty();
  if (result.measured.n >= kEnoughForInterval && !refused) {
    result.verdict = verdict;
  }
  result.reason = refused ? "the gateway was not what limited it: " + doubts.refused : why(result.measured, allowed, verdict);
  result.reason = join(result.reason, evidence.paired ? std::string("by pairs") : std::string());
  result.reason = join(result.reason, refused ? std::string() : doubts.refused);
  result.reason = join(join(result.reason, doubts.noted.empty() ? std::string() : "flagged: " + doubts.noted), claim.note);
}

Range around_published(const Claim& claim) {
  const double published = claim.published.value_or(0);
  const double margin = std::abs(published) * claim.tolerance;
  return {published - margin, published + margin};
}

// Of two steps of an order the one that decides: one that cannot be judged, else one that surely falls, else the smaller.
bool worse(const Interval& a, const Interval& b) {
  if (a.n == 0 || b.n == 0) {
    return a.n < b.n;
  }
  return std::min(a.high, b.high) < 1 ? a.high < b.high : a.low < b.low;
}

class Judge {
 public:
  Judge(const std::vector<CellResult>& cells, const std::vector<PairResult>& pairs, const std::vector<Trial>& trials)
      : cells_(cells), pairs_(pairs), trials_(trials) {}

  std::vector<ClaimResult> ratio(const Claim& claim) const {
    return each(claim, {claim.of, claim.to}, [&](ClaimResult& result, const auto& chosen) {
      const Evidence evidence = ratio_of(claim, *chosen[0], *chosen[1], claim.node);
      result.measured = median_interval(values(evidence.blocks));
      conclude(result, claim, around_published(claim), chosen, trials_, evidence);
    });
  }

  std::vector<ClaimResult> share(const Claim& claim) const {
    return each(claim, {claim.of}, [&](ClaimResult& result, const auto& chosen) {
      result.measured = median_interval(values(of(claim, *chosen[0], claim.node)));
      conclude(result, claim, around_published(claim), chosen, trials_);
    });
  }

  // Of several nodes the busiest decides, once each has been seen.
  std::vector<ClaimResult> below(const Claim& claim) const {
    return each(claim, {claim.of}, [&](ClaimResult& result, const auto& chosen) {
      std::string unseen;
      for (const std::string& node : claim.nodes) {
        const Interval measured = median_interval(values(of(claim, *chosen[0], node)));
        if (measured.n == 0) {
          unseen += (unseen.empty() ? "" : ", ") + node;
        } else if (result.measured.n == 0 || measured.high > result.measured.high) {
          result.measured = measured;
        }
      }
      conclude(result, claim, {-kInfinity, claim.limit.value_or(0)}, chosen, trials_);
      if (!unseen.empty() && result.verdict != "differs") {  // one that is too busy is enough
        result.verdict = "cannot-tell";
        result.reason = join("not measured: " + unseen, result.reason);
      }
    });
  }

  // Every step from one quantity to the next has to be above 1.
  std::vector<ClaimResult> order(const Claim& claim) const {
    std::vector<Selector> selectors;
    for (const Quantity& quantity : claim.rising) {
      selectors.push_back(quantity.of);
      if (!quantity.to.empty()) {
        selectors.push_back(quantity.to);
      }
    }
    return each(claim, selectors, [&](ClaimResult& result, const auto& chosen) {
      std::size_t at = 0;
      std::vector<Cells> quantities;  // of, and to where it is a quotient
      for (const Quantity& quantity : claim.rising) {
        quantities.push_back({chosen[at++]});
        if (!quantity.to.empty()) {
          quantities.back().push_back(chosen[at++]);
        }
      }
      Evidence decides;
      for (std::size_t i = 1; i < quantities.size(); ++i) {
        Evidence step = step_of(claim, i, quantities[i - 1], quantities[i]);
        const Interval measured = median_interval(values(step.blocks));
        if (i == 1 || worse(measured, result.measured)) {
          result.measured = measured;
          decides = std::move(step);
        }
      }
      conclude(result, claim, {std::nextafter(1.0, 2.0), kInfinity, decides.floor}, chosen, trials_, decides);
    });
  }

 private:
  Blocks of(const Claim& claim, const CellResult& cell, const std::string& node) const {
    return values_of(cell, trials_, claim.metric, node);
  }

  // numerator ÷ denominator: of the pair of the two where there is one, else of what was measured in the same blocks.
  Evidence ratio_of(const Claim& claim, const CellResult& numerator, const CellResult& denominator, const std::string& node) const {
    Evidence evidence;
    if (of_throughput(claim)) {
      evidence.blocks = pair_ratios(numerator.id, denominator.id, trials_);
    }
    if (evidence.blocks.empty()) {
      evidence.blocks = quotient(of(claim, numerator, node), of(claim, denominator, node));
      return evidence;
    }
    evidence.paired = true;
    evidence.pairs = {{numerator.id, denominator.id}};
    for (const PairResult& pair : pairs_) {
      const bool these = (pair.a == numerator.id && pair.b == denominator.id) || (pair.a == denominator.id && pair.b == numerator.id);
      evidence.floor = these && pair.kind == "pair" ? pair.noise_floor : evidence.floor;
    }
    return evidence;
  }

  // How much more the quantity is than the one before it in an order.
  Evidence step_of(const Claim& claim, std::size_t i, const Cells& before, const Cells& quantity) const {
    const std::string &node = claim.rising[i].node, &node_before = claim.rising[i - 1].node;
    const auto value = [&](const Cells& cells, const std::string& whose) {
      return cells.size() > 1 ? ratio_of(claim, *cells[0], *cells[1], whose) : Evidence{of(claim, *cells[0], whose), false, 0, {}};
    };
    if (before.size() == 1 && quantity.size() == 1 && node == node_before) {
      return ratio_of(claim, *quantity[0], *before[0], node);
    }
    Evidence above = value(quantity, node);
    const Evidence below = value(before, node_before);
    Evidence both{quotient(above.blocks, below.blocks), above.paired && below.paired, std::max(above.floor, below.floor), above.pairs};
    both.pairs.insert(both.pairs.end(), below.pairs.begin(), below.pairs.end());
    return both;
  }

  template <class Fill>
  std::vector<ClaimResult> each(const Claim& claim, const std::vector<Selector>& selectors, Fill fill) const {
    std::vector<ClaimResult> results;
    for (const auto& chosen : matches(selectors, cells_)) {
      ClaimResult result = blank(claim);
      result.of = open_axes(selectors, chosen);
      fill(result, chosen);
      results.push_back(std::move(result));
    }
    if (results.empty()) {
      results.push_back(blank(claim));
      results.back().reason = join("the cells that it compares were not all measured in this run", claim.note);
    }
    return results;
  }

  const std::vector<CellResult>& cells_;
  const std::vector<PairResult>& pairs_;
  const std::vector<Trial>& trials_;
};

}  // namespace

std::vector<ClaimResult> judge(const std::vector<Claim>& claims, const std::vector<CellResult>& cells, const std::vector<PairResult>& pairs,
                               const std::vector<Trial>& trials, int host_cpus) {
  const Judge judge(cells, pairs, trials);
  std::vector<ClaimResult> all;
  for (const Claim& claim : claims) {
    std::vector<ClaimResult> results;
    switch (claim.kind) {
      case Claim::Kind::ratio: results = judge.ratio(claim); break;
      case Claim::Kind::share: results = judge.share(claim); break;
      case Claim::Kind::below: results = judge.below(claim); break;
      case Claim::Kind::order: results = judge.order(claim); break;
      case Claim::Kind::stated: results = {blank(claim)}; break;
    }
    if (claim.needs_cpus > host_cpus) {
      for (ClaimResult& result : results) {
        result.verdict = "cannot-tell";
        result.reason = join("it takes a host of " + std::to_string(claim.needs_cpus) + " CPUs or more", claim.note);
      }
    }
    all.insert(all.end(), results.begin(), results.end());
  }
  return all;
}

}  // namespace lab::stats
