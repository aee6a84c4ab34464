// What a load found out, for people.
#pragma once

#include "lab/roles.hpp"
#include "roles/load/outcome.hpp"
#include "roles/load/search.hpp"

#include <ostream>
#include <string>

namespace lab::cli {

void print(std::ostream& out, const LoadConfig& config, const load::Outcome& outcome);
void print(std::ostream& out, const load::Search& search);
std::string text_of(const load::Probe& probe);  // a line, without its end

}  // namespace lab::cli
