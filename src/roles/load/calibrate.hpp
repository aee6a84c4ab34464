// How long a pair's slices and gaps have to be, found out before the measurement (design: a slot is a slice and a gap).
#pragma once

#include "lab/roles.hpp"
#include "roles/load/load.hpp"

namespace lab::load {

// The load by which to find out: a few slots of both sides with a generous gap, and no warm-up.
LoadConfig calibration(const LoadConfig& pair);

// From the calibration's outcome: the slice is at least as long as the slower side's longest page, the gap 1.5 × the longest drain.
LoadAgainst calibrated(const LoadAgainst& asked, const Outcome& outcome);

}  // namespace lab::load
