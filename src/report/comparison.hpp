// Two runs side by side: what changed from A to B, cell by cell and pair by pair, and how surely (docs/method.md, "Comparing runs").
#pragma once

#include "report/report.hpp"
#include "stats/permutation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lab::report {

enum class Measure { throughput, cpu, p99 };  // pages a second; the gateway's CPU µs a page; µs of service, 99th percentile

enum class Verdict { rose, fell, same, unknown };

// One measure of a cell, or the ratio of a pair, in both runs. Rates and times are compared as logarithms.
struct Change {
  Interval a, b;                       // as each run's results give it; of CPU and p99 the median alone, low = high = median
  std::vector<double> logs_a, logs_b;  // one a pass: the mean of its logs there
  Interval ratio;                      // B ÷ A of the geometric means; low and high: the plain interval; n: passes of the shorter run
  double coverage = 0;                 // of that interval: at least 0.95, less where the passes are too few; 0: none at all
  double p = 1, corrected = 1;         // of no change; corrected for all comparisons of this measure
  double least_p = 1;                  // what so many passes could show
  double noise_floor = 0;              // of |log ratio|, of both runs together; 0: neither has one
  Verdict verdict = Verdict::unknown;
  std::string reason;  // why it cannot be told, or is the same; empty where it changed
};

struct CellComparison {
  std::string id, scenario;
  std::vector<std::pair<std::string, std::string>> axes;
  std::vector<std::string> flags_a, flags_b;
  std::optional<Change> throughput, cpu, p99;  // absent where a run has no such figure

  const std::optional<Change>& of(Measure measure) const;
};

struct PairComparison {
  std::string a, b;  // cells
  Change change;     // of the pair's ratio b ÷ a
  std::vector<std::string> flags_a, flags_b;
};

inline constexpr const char* kMeasured = "measured";

struct NotCompared {
  std::string what;        // a cell's id, or "A → B" of a pair
  std::string in_a, in_b;  // "measured", "skipped: why", "failed: why", "not in this run"
  bool is_pair = false;
};

struct Difference {  // of environment
  std::string what, a, b;
  std::string why;  // what it makes of the comparison
};

struct ComparedRun {
  std::string name, title, started, version;
  double noise_floor = 0;  // the largest of its pairs; 0: it has no A/A pairs
};

struct Comparison {
  ComparedRun a, b;
  std::vector<Difference> differences;
  std::vector<std::string> cautions;  // sentences: what the figures below cannot say
  std::vector<CellComparison> cells;  // measured in both, in A's order
  std::vector<PairComparison> pairs;
  std::vector<NotCompared> not_compared;
};

Comparison compare(const Run& a, const Run& b);

// Fills in ratio, interval, p and verdict of changes that are one family: all comparisons of one measure, or all pairs.
void judge(const std::vector<Change*>& changes);

// What makes the two less comparable, in reading order.
std::vector<Difference> differences(const Run& a, const Run& b);

// "faster", "slower", "no difference beyond the noise", "cannot tell"; of CPU "cheaper" and "dearer".
std::string verdict_text(Measure measure, Verdict verdict);
std::string pair_verdict_text(Verdict verdict);  // "larger", "smaller", …

struct Tally {
  std::size_t faster = 0, slower = 0, same = 0, unknown = 0;
};
Tally tally(const Comparison& comparison);  // of throughput

}  // namespace lab::report
