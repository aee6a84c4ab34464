// Trials over time, for the page's chart of one trial: pages a second of each slice, CPU of the nodes.
#pragma once

#include "report/report.hpp"

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <vector>

namespace lab::report {

// So much of the page's data at most, but for trials that were asked for.
inline constexpr std::size_t kMostSeries = 400'000;  // bytes of JSON

// The numbers of trials whose time series go into the page, the first ones first where not all fit: those asked for, those with a flag or
// that failed, the others in order of execution.
std::vector<int> trials_to_show(const std::vector<Trial>& trials, const std::vector<int>& asked);

// {nodes: […], trials: [{trial, kind, sides, ratio, flags, notes, failed, rates: [[start, length, side, pages], …],
//  cpu: [[start, length, of each node], …]}, …], left_out}: instants in tenths of a ms since the trial began, CPU in thousandths of a host
// CPU, null where it is not known. Slices of a trial with one slice have no CPU over time: then it comes from samples.
boost::json::object series_data(const Run& run);

}  // namespace lab::report
