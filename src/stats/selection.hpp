// Which cells a claim speaks of, and their values block by block.
#pragma once

#include "lab/playbook.hpp"
#include "lab/results.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lab::stats {

using Blocks = std::map<int, double>;  // by block: the median of its values there

// A cell's coordinate: "scenario" or an axis; nothing where the cell has no such axis.
std::optional<std::string> coordinate(const CellResult& cell, const std::string& axis);
bool selects(const Selector& selector, const CellResult& cell);

// All ways to take a measured cell for each selector such that they agree in every axis that none of the selectors names.
std::vector<std::vector<const CellResult*>> matches(const std::vector<Selector>& selectors, const std::vector<CellResult>& cells);

// "cpus=1/clients=8": the values of the axes that no selector names.
std::string open_axes(const std::vector<Selector>& selectors, const std::vector<const CellResult*>& cells);

// The ratio of pages a second of two cells by block, from the trials that loaded both in turn.
Blocks pair_ratios(const std::string& numerator, const std::string& denominator, const std::vector<Trial>& trials);

// The metric of a cell, by block; a failed trial and an A/A pair have none. `node` is the node's or the machine's name where the metric has
// one.
Blocks values_of(const CellResult& cell, const std::vector<Trial>& trials, Claim::Metric metric, const std::string& node);

// numerator ÷ denominator in the blocks that both have.
Blocks quotient(const Blocks& numerator, const Blocks& denominator);

std::vector<double> values(const Blocks& blocks);

}  // namespace lab::stats
