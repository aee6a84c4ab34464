// A lab's topology as text and pictures: networks, nodes with their roles, junctions from gateway to back end, firewalls.
#pragma once

#include "lab/lab.hpp"

#include <map>
#include <string>

namespace lab::orchestrator {

using Addresses = std::map<std::string, std::string>;  // by node; empty when the lab does not stand

std::string graph_text(const Lab& lab, const Addresses& addresses);
std::string graph_mermaid(const Lab& lab, const Addresses& addresses);  // a flowchart
std::string graph_dot(const Lab& lab, const Addresses& addresses);      // Graphviz
std::string graph_svg(const Lab& lab, const Addresses& addresses);      // zones from left to right, for a talk

}  // namespace lab::orchestrator
