// Sentences written from a run's numbers. They claim no effect below the noise floor, say "indicative" where
// repeats are few, and name the flags of every number they use. Plain text; the renderers escape it.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <string>
#include <vector>

namespace lab::report {

// What the charts of a scenario show, one sentence or two each.
std::vector<std::string> observations(const Run& run, const ScenarioView& scenario);

// What is odd about its trials and cells: failed, flagged and resumed trials, a trial far off its cell's others, a cell in which a change
// does something else than in all others. Empty where nothing is.
std::vector<std::string> anomalies(const Run& run, const ScenarioView& scenario);

// What follows from them, in one paragraph.
std::string conclusion(const Run& run, const ScenarioView& scenario);

}  // namespace lab::report
