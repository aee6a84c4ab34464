// Where and how a run was made, with the keys of include/lab/results.hpp.
#pragma once

#include "lab/playbook.hpp"
#include "lab/results.hpp"
#include "lab/standing.hpp"
#include "plan.hpp"
#include "setup.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <vector>

namespace lab::run {

// This host, from below `root` ("/"; tests give another): cpu_model, cores, smt, governor, memory_bytes, cgroup (1, 2, or "1+2": mixed),
// hostname …
boost::json::object host_environment(const std::filesystem::path& root);

// The lab, its nodes, the playbook's scenarios, and this program.
void add_lab_environment(boost::json::object& environment, const Standing& standing, const Facts& facts, const Playbook& playbook);

// `crypto`: what OPENSSL_info said in the gateway under each setting of the switch.
void add_crypto_environment(boost::json::object& environment, const Plan& plan, const std::vector<Trial>& trials, const Facts& facts);

}  // namespace lab::run
