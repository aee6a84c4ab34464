// What the charts draw, as JSON for reports/template/charts.ts; its types there (data.ts) mirror this.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

namespace lab::report {

// The ids of the elements that the charts are drawn in.
std::string throughput_id(const ScenarioView& scenario, std::size_t panel);
std::string cpu_id(const ScenarioView& scenario);
std::string gain_id(const ScenarioView& scenario);
std::string percentiles_id(const ScenarioView& scenario);

// Hardware against software crypto, by page; empty where the scenario does not have both.
struct Gain {
  std::vector<std::string> pages;
  struct Line {
    std::string label;
    int shade = 1;
    std::vector<std::optional<Effect>> points;  // one a page
  };
  std::vector<Line> lines;                       // one for each combination of CPUs and clients
  std::vector<std::optional<double>> published;  // one a page: the claim's ratio
};
Gain crypto_gain(const Run& run, const ScenarioView& scenario);

boost::json::object chart_data(const Run& run);

}  // namespace lab::report
