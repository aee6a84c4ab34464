// Which cells a run compares within a trial, and which it measures singly (design §7, "Pairs").
#pragma once

#include "lab/playbook.hpp"
#include "lab/standing.hpp"
#include "matrix.hpp"
#include "order.hpp"

#include <vector>

namespace lab::run {

// Inside a scenario, along the first of `log`, `crypto`, `cpus`, `gateway` that has two values: the first value against each other one.
// Then one for each verdict of a claim on a ratio across scenarios or pages, and one for each step of a claim on an order across scenarios;
// then those that the playbook asks for; then the A/A pairs, one for each way of switching used (`AaPairs::one`: the first of them alone).
// A cell in no pair is measured singly. `cells`: those that can run here.
std::vector<Comparison> comparisons_of(const std::vector<Cell>& cells, const Playbook& playbook, AaPairs aa, const Standing& standing);

}  // namespace lab::run
