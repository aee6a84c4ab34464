#include "report/effect_text.hpp"

#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

std::size_t unsure(const std::vector<Effect>& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(effects, [](const Effect& each) { return !each.certain(); }));
}

bool few_repeats(const Effect& effect) { return effect.ratio.n < kEnoughRepeats; }

std::string log_place(const std::string& value) {
  return value == "file" ? "files" : value == "own-disk" ? "its own disk" : value == "null" ? "/dev/null" : value;
}

// "× 2.09 (95% interval …) with 8 clients; × 2.05 (…) with 10 clients"; more than two in short.
std::string sizes(const std::vector<Effect>& effects, std::string_view changed) {
  if (effects.size() > 2) {
    return in_short(effects);
  }
  Cells sides;
  std::ranges::transform(effects, std::back_inserter(sides), &Effect::b);
  std::vector<std::string> parts;
  for (const Effect& each : effects) {
    const std::string label = effects.size() > 1 ? cell_label(*each.b, sides, {changed}) : "";
    const bool doubtful = !each.certain() && unsure(effects) < effects.size() && each.ratio.n > 1;
    parts.push_back(with_interval(each.ratio) + (label.empty() ? "" : " with " + label) + (doubtful ? ", not to be told from noise" : ""));
  }
  return join(parts, "; ");
}

std::string interval_of(const std::vector<Effect>& effects, std::string (*as)(double)) {
  const double low = std::ranges::min_element(effects, {}, [](const Effect& each) { return each.ratio.low; })->ratio.low;
  const double high = std::ranges::max_element(effects, {}, [](const Effect& each) { return each.ratio.high; })->ratio.high;
  const bool few = std::ranges::any_of(effects, few_repeats);
  const char* what = effects.size() > 1 ? (few ? "ranges within" : "95% intervals within") : few ? "range" : "95% interval";
  const auto plain = as == times ? plain_ratio : as;  // one × before the figure is enough
  const std::string from = plain(low), to = plain(high);
  return from == to ? fmt::format("{} {}", what, from) : fmt::format("{} {} to {}", what, from, to);
}

}  // namespace

std::string subject(std::string_view axis, const std::string& from, const std::string& to) {
  if (axis == "cpus") {
    return fmt::format("Going from {} to {} gateway CPUs", from, to);
  }
  if (axis == "clients") {
    return fmt::format("Going from {} to {} clients", from, to);
  }
  if (axis == "busy") {
    return fmt::format("Going from {} to {} busy guests", from, to);
  }
  if (axis == "log") {
    return fmt::format("Changing the log from {} to {}", log_place(from), log_place(to));
  }
  if (axis == "gateway") {
    return fmt::format("Changing the gateway from {} to {}", from, to);
  }
  return fmt::format("Changing from {} to {}", axis_text(axis, from), axis_text(axis, to));
}

std::string effect_sentence(const std::string& subject, const std::vector<Effect>& effects, std::string_view changed) {
  const std::size_t doubtful = unsure(effects);
  if (std::ranges::all_of(effects, [](const Effect& each) { return each.ratio.n == 1; })) {
    return fmt::format("{}: throughput {}; one repeat cannot tell it from noise.{}", subject, sizes(effects, changed), caution(effects));
  }
  if (doubtful == effects.size()) {
    return fmt::format("{}: no effect that can be told from noise, {}.{}", subject, sizes(effects, changed), caution(effects));
  }
  const std::string some = doubtful > 0 && effects.size() > 2 ? fmt::format("; {} of them cannot be told from noise", doubtful) : "";
  return fmt::format("{}: throughput {}{}.{}", subject, sizes(effects, changed), some, caution(effects));
}

std::string in_short(const std::vector<Effect>& effects) {
  const auto by_median = [](const Effect& a, const Effect& b) { return a.ratio.median < b.ratio.median; };
  const auto [least, most] = std::ranges::minmax_element(effects, by_median);
  const auto [few, many] = std::ranges::minmax_element(effects, [](const Effect& a, const Effect& b) { return a.ratio.n < b.ratio.n; });
  const std::string n = few->ratio.n == many->ratio.n ? fmt::format("n = {} each", few->ratio.n)
                                                      : fmt::format("n from {} to {}", few->ratio.n, many->ratio.n);
  return fmt::format("{} to {} in {} comparisons ({}; {}{})", times(least->ratio.median), times(most->ratio.median), effects.size(),
                     interval_of(effects, times), n, few_repeats(*few) ? ", indicative" : "");
}

std::string amount(const std::vector<Effect>& sure, std::size_t of, std::string (*as)(double)) {
  const auto [least, most] =
      std::ranges::minmax_element(sure, [](const Effect& a, const Effect& b) { return a.ratio.median < b.ratio.median; });
  const std::string first = as(least->ratio.median), last = as(most->ratio.median);
  std::vector<std::string> parts{interval_of(sure, as)};
  if (std::ranges::any_of(sure, few_repeats)) {
    parts.emplace_back("indicative: few repeats");
  }
  if (sure.size() < of) {
    parts.push_back(fmt::format("in {} of {} comparisons", sure.size(), of));
  }
  if (const auto flags = doubts_of(sure); !flags.empty()) {
    parts.push_back("flagged: " + join(flags, ", "));
  }
  return fmt::format("{} ({})", first == last ? first : first + " to " + last, join(parts, "; "));
}

std::string caution(const std::vector<Effect>& effects) {
  const std::string flagged = flag_note(doubts_of(effects));
  return flagged.empty() ? "" : " " + flagged;
}

std::string flag_note(const std::vector<std::string>& flags) {
  const auto doubtful = doubts(flags);
  return doubtful.empty() ? "" : "Flagged: " + join(doubtful, ", ") + ".";
}

}  // namespace lab::report
