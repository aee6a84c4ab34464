// Effects in words: how much, how surely, in how many comparisons. What observations and conclusions share.
#pragma once

#include "report/scenario.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::report {

// What changes from one value of an axis to another: "Going from 1 to 2 gateway CPUs", "Changing the log from files to /dev/null".
std::string subject(std::string_view axis, const std::string& from, const std::string& to);

// One sentence for one change, over all cells that differ in nothing else, with the flags of all of them.
std::string effect_sentence(const std::string& subject, const std::vector<Effect>& effects, std::string_view changed);

// "× 2.02 to × 2.12 in 6 comparisons (n = 6 each)"
std::string in_short(const std::vector<Effect>& effects);

// "× 2.00 (95% interval 1.98 to 2.02)", "+20% to +31% (95% intervals within +18% to +33%; in 2 of 3 comparisons; flagged: noisy-host)": of
// the effects that are sure, out of so many.
std::string amount(const std::vector<Effect>& sure, std::size_t of, std::string (*as)(double));

// " Flagged: noisy-host.", or nothing.
std::string caution(const std::vector<Effect>& effects);

// "Flagged: noisy-host." or nothing.
std::string flag_note(const std::vector<std::string>& flags);

}  // namespace lab::report
