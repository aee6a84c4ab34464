// From two cells to what the services of a pair are told (design §7, "Pairs").
#pragma once

#include "setup.hpp"

#include <array>

namespace lab::run {

struct PairSetup {
  std::array<Setup, 2> sides;   // a, b; their drivers are below
  std::vector<Driver> drivers;  // that load both in turn; `against` lacks slice and gap
  bool quota = false;           // the sides differ by their gateway's CPUs, which are set anew before each slice

  std::string name() const { return sides[0].cell + " against " + sides[1].cell; }
};

// Why the two can't be loaded in turn within a trial; empty: they can.
std::string why_no_pair(const Cell& a, const Cell& b, const Standing& standing);

// Whether their gateways are of different CPUs on one node.
bool differ_in_cpus(const Cell& a, const Cell& b);

// `quota`: CPUs are set before each slice also where both sides have the same, for an A/A pair of that way of switching.
Result<PairSetup> set_up_pair(const Cell& a, const Cell& b, bool quota, const Standing& standing, const Facts& facts, const Timing& timing);

}  // namespace lab::run
