// A claim's row as text, for all formats.
#pragma once

#include "lab/results.hpp"

#include <optional>
#include <string>
#include <utility>

namespace lab::report {

std::string published_text(const ClaimResult& claim);  // "× 1.9", "85%", "below 5%", "order"
std::string measured_text(const ClaimResult& claim);   // "× 2.09 (1.95–2.19, n = 6)"; of an order, its least step; "–" for nothing
std::pair<std::string, std::string> measured_parts(const ClaimResult& claim);  // the figure, and what stands after it
std::string verdict_text(const ClaimResult& claim);                            // "agrees", "differs", "cannot be told"
std::string claim_name(const ClaimResult& claim);                              // id, and the axes it is for: "log-8", "page-size · cpus=1"

// measured ÷ published, where both are figures: the claims table draws it.
std::optional<Interval> against_published(const ClaimResult& claim);

}  // namespace lab::report
