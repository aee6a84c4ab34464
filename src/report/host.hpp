// The host as a run found it, what cannot be decided on it, and what stands in for the parts of the study.
#pragma once

#include "report/report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lab::report {

using Facts = std::vector<std::pair<std::string, std::string>>;  // name and value, in reading order

// A key of the run's environment as text, a number in full; "" where the run did not learn it.
std::string environment_text(const Run& run, std::string_view key);
double environment_number(const Run& run, std::string_view key);  // 0 where it is missing

// CPU, cores, SMT, governor, kernel, OpenSSL, how CPUs are limited and what one is worth, what crypto is switched.
Facts host_facts(const Run& run);

// What readers must not conclude from this run, a sentence each; may be empty on a large quiet host.
std::vector<std::string> limitations(const Run& run);

// Whether the run is of the built-in playbook, which repeats a published study.
bool repeats_study(const Run& run);

// Part of the study and what stands for it here, for its playbook; what the scenarios' notes say, for every one.
Facts substitutions(const Run& run);

// How trials were made and numbers computed: a paragraph each.
std::vector<std::string> method(const Run& run);

}  // namespace lab::report
