// What `lab runs` prints.
#pragma once

#include "store/index.hpp"

#include <boost/json/object.hpp>
#include <string>
#include <vector>

namespace lab::cli {

std::string runs_text(const std::vector<store::RunSummary>& runs);
boost::json::object runs_json(const std::vector<store::RunSummary>& runs);

// A table a cell, a line a run, the oldest first, with bars from zero to the cell's greatest rate.
std::string trends_text(const std::vector<store::Trend>& trends);
boost::json::object trends_json(const std::vector<store::Trend>& trends);

}  // namespace lab::cli
