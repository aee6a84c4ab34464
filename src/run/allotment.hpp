// How much CPU a node may use, and who used up what.
#pragma once

#include "lab/standing.hpp"
#include "setup.hpp"

#include <map>
#include <string>
#include <vector>

namespace lab::run {

using HostCpus = std::map<std::string, double>;  // by node, in host CPUs

// Of every node that stands: its lab CPUs where they are limited (`gateway_cpus` for the gateway: the cell's; 0: the lab file's),
// else the CPUs that it is pinned to, else all of its host.
HostCpus allotments_of(const Standing& standing, const Facts& facts, const std::string& gateway, double gateway_cpus);

// Whether nodes of this lab share one host.
bool on_one_host(const Standing& standing);

// From which share of its allotment on a gateway is saturated: the quota gives 0.995 and more, stop and continue is exact to 3%.
double saturation(CpuMethod method);

// The node whose CPU limits: the gateway when saturated; else, of CPUs that are used up by 90% or more (a node's own allotment, or the
// CPUs that several are pinned to), the busiest node; empty: none. `cpu`: shares of the allotments.
std::string limiting_node(const std::map<std::string, double>& cpu, const HostCpus& allotments, const std::string& gateway,
                          const Standing& standing);

}  // namespace lab::run
