// The run in at most six sentences: scaling, crypto hardware, TLS, SSL junction, logging, the claims' score.
#pragma once

#include "report/report.hpp"

#include <string>
#include <vector>

namespace lab::report {

// Each sentence gives one setting's numbers, names that setting and the scenario, and how sure they are. Which
// scenarios are compared follows from what the playbook says about them, not from their names.
std::vector<std::string> key_findings(const Run& run);

}  // namespace lab::report
