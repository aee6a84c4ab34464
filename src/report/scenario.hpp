// The results arranged as the report shows them: a scenario's cells, its charts' series, its effects.
#pragma once

#include "report/report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::report {

using Cells = std::vector<const CellResult*>;

struct ScenarioView {
  std::string id, title;
  const Scenario* settings = nullptr;  // null where the run keeps no playbook
  Cells cells;                         // in file order, never empty
};

// In the order of their first cells. The views point into `run`.
std::vector<ScenarioView> scenarios(const Run& run);

const CellResult* find_cell(const Results& results, std::string_view id);
std::vector<const Trial*> trials_of(const Run& run, const std::string& cell);     // in order of execution
std::string axis(const CellResult& cell, std::string_view name);                  // "" where the cell has none
std::vector<std::string> axis_values(const Cells& cells, std::string_view name);  // distinct, in order of appearance
bool varies(const Cells& cells, std::string_view name);
Cells measured(const Cells& cells);
Cells timed(const Run& run, const ScenarioView& scenario);  // measured, with percentiles of their times

// ("page", "5.8KB") → "5.8 KB"; ("cpus", "2") → "2 CPUs"; ("log", "null") → "log to /dev/null".
std::string axis_text(std::string_view name, const std::string& value);

// The axes that vary among `cells`, in words: "5.8 KB, hardware crypto, 2 CPUs"; without those in `leave_out`.
std::string cell_label(const CellResult& cell, const Cells& cells, const std::vector<std::string_view>& leave_out = {});

std::string row_label(const CellResult& cell, const Cells& cells);  // likewise; the cell's id where nothing varies

// One bar or line of a throughput chart: a combination of crypto, log, gateway and CPUs.
struct Series {
  std::string label;
  int hue = 0;    // 0 to 5: what is switched (crypto, log, gateway, busy guests); the style sheet names the colours
  int shade = 1;  // 0 to 2: the gateway's CPUs, more is darker; no two of up to 18 series have both in common
  Cells points;   // one for each of the panel's clients; null where there is no such cell
};

struct Panel {  // one chart: a page size
  std::string title;
  std::vector<std::string> clients;
  std::vector<Series> series;
};

std::vector<Panel> throughput_panels(const ScenarioView& scenario);

// Host CPUs that a node keeps busy in a cell: CPU time a page × pages a second. 0 where unknown.
double host_cpus(const CellResult& cell, const std::string& node);

struct NodeUse {
  std::vector<std::string> shown, near_zero;  // node names
};
// Near zero: under 1% of a host CPU in every cell.
NodeUse node_use(const Cells& cells);

// A node's place among all nodes of the run, and a machine's among all machines: their colours in every chart.
std::size_t node_color(const Results& results, const std::string& node);
std::size_t machine_color(const Results& results, const std::string& machine);

// b ÷ a in pages a second.
struct Effect {
  const CellResult* a = nullptr;
  const CellResult* b = nullptr;
  Interval ratio;
  double noise_floor = 0;  // of |log ratio|; 0: the run did not measure it
  bool paired = false;     // loaded in turn inside one trial; else separate trials, compared block by block
  std::vector<std::string> flags;

  // An effect is called one when its interval leaves out 1 and it is larger than the noise floor; with few repeats
  // it must be larger than their spread as well.
  bool certain() const;
};

Effect effect(const Run& run, const CellResult& a, const CellResult& b);

// Every two measured cells of the scenario that differ in nothing but `name`: `from` in a, `to` in b.
std::vector<Effect> effects_between(const Run& run, const ScenarioView& scenario, std::string_view name, const std::string& from,
                                    const std::string& to);

// Every two measured cells of two scenarios that agree in each axis of `against`: `against` in a, `of` in b.
std::vector<Effect> effects_across(const Run& run, std::string_view of, std::string_view against);

std::vector<Effect> certain(std::vector<Effect> effects);                // those that are
std::vector<std::string> doubts_of(const std::vector<Effect>& effects);  // their flags, each once, without "indicative"

}  // namespace lab::report
