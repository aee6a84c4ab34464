#include "report/observations.hpp"

#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace lab::report {

namespace {

std::string rate(const CellResult& cell) {
  const Interval& value = cell.pages_per_s;
  std::string text = number(value.median) + " pages/s";
  if (value.n > 1) {
    text += fmt::format(" ({})", range(value.low, value.high, number));
  }
  return text;
}

// " Flagged: noisy-host.", or nothing.
std::string caution(const std::vector<Effect>& effects) {
  const std::string flagged = flag_note(doubts_of(effects));
  return flagged.empty() ? "" : " " + flagged;
}

std::size_t unsure(const std::vector<Effect>& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(effects, [](const Effect& each) { return !each.certain(); }));
}

// "× 2.02 to × 2.12 in 6 comparisons (n = 6 each)"
std::string in_short(const std::vector<Effect>& effects) {
  const auto by_median = [](const Effect& a, const Effect& b) { return a.ratio.median < b.ratio.median; };
  const auto [least, most] = std::ranges::minmax_element(effects, by_median);
  const auto [few, many] = std::ranges::minmax_element(effects, [](const Effect& a, const Effect& b) { return a.ratio.n < b.ratio.n; });
  const std::string n = few->ratio.n == many->ratio.n ? fmt::format("n = {} each", few->ratio.n)
                                                      : fmt::format("n from {} to {}", few->ratio.n, many->ratio.n);
  return fmt::format("{} to {} in {} comparisons ({}{})", times(least->ratio.median), times(most->ratio.median), effects.size(), n,
                     few->ratio.n < kEnoughRepeats ? ", indicative" : "");
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

// One sentence for one change, over all cells that differ in nothing else.
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

void about_throughput(const ScenarioView& scenario, std::vector<std::string>& out) {
  for (const std::string& page : axis_values(measured(scenario.cells), "page")) {
    Cells cells = measured(scenario.cells);
    std::erase_if(cells, [&](const CellResult* cell) { return axis(*cell, "page") != page; });
    const auto slower = [](const CellResult* a, const CellResult* b) { return a->pages_per_s.median < b->pages_per_s.median; };
    const auto [least, most] = std::ranges::minmax_element(cells, slower);
    std::set<std::string> flags((*least)->flags.begin(), (*least)->flags.end());
    flags.insert((*most)->flags.begin(), (*most)->flags.end());
    const std::string flagged = flag_note({flags.begin(), flags.end()});
    const std::string prefix = varies(scenario.cells, "page") ? "At " + axis_text("page", page) + " throughput" : "Throughput";
    if (cells.size() == 1) {
      out.push_back(fmt::format("{} is {}.{}", prefix, rate(**least), flagged.empty() ? "" : " " + flagged));
      continue;
    }
    out.push_back(fmt::format("{} runs from {} with {} to {} with {}.{}", prefix, rate(**least), cell_label(**least, cells, {"page"}),
                              rate(**most), cell_label(**most, cells, {"page"}), flagged.empty() ? "" : " " + flagged));
  }
}

std::string milliseconds(double us) { return number(us / 1e3); }

std::string in_milliseconds(const Interval& us) {
  const std::string spread = us.n > 1 ? fmt::format(" ({}, n = {})", range(us.low, us.high, milliseconds), us.n) : "";
  return milliseconds(us.median) + " ms" + spread;
}

// Of an open loop: the cell whose p99 is least, and the one whose is greatest.
void about_latency(const ScenarioView& scenario, std::vector<std::string>& out) {
  Cells cells = measured(scenario.cells);
  std::erase_if(cells, [](const CellResult* cell) { return !cell->latency_us; });
  if (cells.empty() || scenario.settings == nullptr || !scenario.settings->rate) {
    return;
  }
  std::ranges::sort(cells, {}, [](const CellResult* cell) { return cell->latency_us->p99.median; });
  std::vector<std::string> parts;
  for (const CellResult* cell : cells.size() == 1 ? Cells{cells.front()} : Cells{cells.front(), cells.back()}) {
    const std::string label = cells.size() == 1 ? "" : " with " + cell_label(*cell, cells);
    parts.push_back(fmt::format("p99 {}, p50 {}{}", in_milliseconds(cell->latency_us->p99), in_milliseconds(cell->latency_us->p50), label));
  }
  out.push_back(fmt::format("At {} requests/s, latency from the instant at which a request was due: {}.", number(*scenario.settings->rate),
                            join(parts, "; ")));
}

struct Named {
  std::string_view axis;
  std::string (*subject)(const std::string& from, const std::string& to);
};

std::string cpus_subject(const std::string& from, const std::string& to) {
  return fmt::format("Going from {} to {} gateway CPUs", from, to);
}
std::string clients_subject(const std::string& from, const std::string& to) { return fmt::format("Going from {} to {} clients", from, to); }
std::string log_subject(const std::string& from, const std::string& to) {
  return fmt::format("Changing from {} to {}", axis_text("log", from), axis_text("log", to));
}
std::string crypto_subject(const std::string& from, const std::string& to) {
  return fmt::format("Changing from {} to {}", axis_text("crypto", from), axis_text("crypto", to));
}
std::string gateway_subject(const std::string& from, const std::string& to) {
  return fmt::format("Changing the gateway from {} to {}", from, to);
}

std::string busy_subject(const std::string& from, const std::string& to) {
  return fmt::format("Going from {} to {} busy guests", from, to);
}

constexpr Named kAxes[] = {{"cpus", cpus_subject},     {"clients", clients_subject}, {"log", log_subject},
                           {"crypto", crypto_subject}, {"gateway", gateway_subject}, {"busy", busy_subject}};

void about_axis(const Run& run, const ScenarioView& scenario, const Named& named, std::vector<std::string>& out) {
  const Cells cells = measured(scenario.cells);
  const auto values = axis_values(cells, named.axis);
  const bool by_page = named.axis == "crypto" && varies(cells, "page");
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto effects = effects_between(run, scenario, named.axis, values[i - 1], values[i]);
    for (const std::string& page : by_page ? axis_values(cells, "page") : std::vector<std::string>{""}) {
      std::vector<Effect> those;
      std::ranges::copy_if(effects, std::back_inserter(those),
                           [&](const Effect& each) { return page.empty() || axis(*each.a, "page") == page; });
      if (!those.empty()) {
        const std::string subject = named.subject(values[i - 1], values[i]);
        out.push_back(effect_sentence(page.empty() ? subject : subject + " at " + axis_text("page", page), those, named.axis));
      }
    }
  }
}

void about_cpu(const ScenarioView& scenario, std::vector<std::string>& out) {
  const Cells cells = measured(scenario.cells);
  std::map<std::string, Cells> limited;
  for (const CellResult* cell : cells) {
    limited[cell->limited_by].push_back(cell);
  }
  for (const auto& [node, those] : limited) {
    if (node.empty()) {
      out.push_back(fmt::format("In {} of {} cells no node is named as the limit.", those.size(), cells.size()));
      continue;
    }
    std::vector<double> shares;
    for (const CellResult* cell : those) {
      const auto share = cell->cpu.find(node);
      shares.push_back(share == cell->cpu.end() ? 0 : share->second);
    }
    const auto [low, high] = std::ranges::minmax_element(shares);
    out.push_back(fmt::format("{} limits {} of {} cells; it uses {} of the CPU allotted to it.", node, those.size(), cells.size(),
                              range(*low, *high, percent)));
  }
  const NodeUse use = node_use(cells);
  if (!use.near_zero.empty()) {
    out.push_back(fmt::format("Near zero, under 1% of a host CPU in every cell: {}.", listing(use.near_zero)));
  }
}

void about_missing(const ScenarioView& scenario, std::vector<std::string>& out) {
  std::map<std::pair<std::string, std::string>, std::size_t> reasons;
  for (const CellResult* cell : scenario.cells) {
    if (cell->status != "measured") {
      ++reasons[{cell->status, cell->reason}];
    }
  }
  for (const auto& [why, n] : reasons) {
    out.push_back(fmt::format("{} {}: {}.", count(n, "cell", "cells"), why.first, why.second));
  }
}

std::string median_range(const std::vector<Effect>& effects, std::string (*as)(double)) {
  const auto [least, most] =
      std::ranges::minmax_element(effects, [](const Effect& a, const Effect& b) { return a.ratio.median < b.ratio.median; });
  const std::string first = as(least->ratio.median), last = as(most->ratio.median);
  return first == last ? first : first + " to " + last;
}

std::string crypto_gains(const std::vector<Effect>& effects, const Cells& cells) {
  std::vector<std::string> parts;
  for (const std::string& page : axis_values(cells, "page")) {
    std::vector<Effect> those;
    std::ranges::copy_if(effects, std::back_inserter(those), [&](const Effect& each) { return axis(*each.a, "page") == page; });
    if (!those.empty()) {
      parts.push_back(fmt::format("{} at {}", median_range(those, change), axis_text("page", page)));
    }
  }
  return listing(parts);
}

// " (indicative: few repeats; in 1 of 2 comparisons; flagged: noisy-host)", or nothing.
std::string reservations(const std::vector<Effect>& used, std::size_t of) {
  std::vector<std::string> parts;
  if (std::ranges::any_of(used, [](const Effect& each) { return each.ratio.n < kEnoughRepeats; })) {
    parts.emplace_back("indicative: few repeats");
  }
  if (used.size() < of) {
    parts.push_back(fmt::format("in {} of {} comparisons", used.size(), of));
  }
  if (const auto flags = doubts_of(used); !flags.empty()) {
    parts.push_back("flagged: " + join(flags, ", "));
  }
  return parts.empty() ? "" : " (" + join(parts, "; ") + ")";
}

// From the least value of an axis to the greatest.
void about_ends(const Run& run, const ScenarioView& scenario, std::string_view name, const std::string& what, std::string (*as)(double),
                std::vector<std::string>& out) {
  const auto values = axis_values(measured(scenario.cells), name);
  if (values.size() < 2) {
    return;
  }
  const auto effects = effects_between(run, scenario, name, values.front(), values.back());
  const auto sure = certain(effects);
  if (!effects.empty()) {
    out.push_back(
        fmt::format("{} from {} to {} bring {}.", what, values.front(), values.back(),
                    sure.empty() ? "nothing that can be told from noise" : median_range(sure, as) + reservations(sure, effects.size())));
  }
}

// Against the playbook's first scenario and the one that it is like: what TLS, identity headers or the junction cost.
void about_other_scenarios(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  const auto views = scenarios(run);
  for (const ScenarioView& before : views) {
    if (before.id == scenario.id) {
      return;
    }
    if (before.id != views.front().id && (scenario.settings == nullptr || scenario.settings->like != before.id)) {
      continue;
    }
    const auto effects = effects_across(run, scenario.id, before.id);
    if (effects.empty()) {
      continue;
    }
    for (const std::string& crypto : axis_values(scenario.cells, "crypto")) {
      std::vector<Effect> those;
      std::ranges::copy_if(effects, std::back_inserter(those), [&](const Effect& each) { return axis(*each.b, "crypto") == crypto; });
      if (!those.empty()) {
        out.push_back(effect_sentence(fmt::format("Against scenario {}, with {}", before.id, axis_text("crypto", crypto)), those, ""));
      }
    }
  }
}

// The study advises a disk of its own for the log, without a figure: what follows here depends on what was measured.
std::string log_disk_advice(const std::vector<Effect>& effects) {
  const auto sure = certain(effects);
  if (sure.empty()) {
    return "Whether a disk of its own relieves the log cannot be told from noise here: the advice to give it one has no figure behind it.";
  }
  const bool faster = std::ranges::all_of(sure, [](const Effect& each) { return each.ratio.median > 1; });
  const std::string amount = median_range(sure, change) + reservations(sure, effects.size());
  return faster ? fmt::format("A disk of its own for the log brings {}: give it one.", amount)
                : fmt::format("A disk of its own for the log brings {}: nothing here speaks for one.", amount);
}

}  // namespace

std::string flag_note(const std::vector<std::string>& flags) {
  const auto doubtful = doubts(flags);
  return doubtful.empty() ? "" : "Flagged: " + join(doubtful, ", ") + ".";
}

std::vector<std::string> observations(const Run& run, const ScenarioView& scenario) {
  std::vector<std::string> out;
  if (!measured(scenario.cells).empty()) {
    about_throughput(scenario, out);
    about_latency(scenario, out);
    for (const Named& named : kAxes) {
      about_axis(run, scenario, named, out);
    }
    about_other_scenarios(run, scenario, out);
    about_cpu(scenario, out);
  }
  about_missing(scenario, out);
  return out;
}

std::string conclusion(const Run& run, const ScenarioView& scenario) {
  const Cells cells = measured(scenario.cells);
  if (cells.empty()) {
    return "No cell of this scenario was measured, so nothing follows.";
  }
  std::vector<std::string> parts;
  const std::string& limit = cells.front()->limited_by;
  if (!limit.empty() && std::ranges::all_of(cells, [&](const CellResult* cell) { return cell->limited_by == limit; })) {
    parts.push_back(fmt::format("The CPU of {} sets the rate in every cell.", limit));
  }
  about_ends(run, scenario, "cpus", "Gateway CPUs", times, parts);
  about_ends(run, scenario, "clients", "Clients", change, parts);
  if (const auto log = effects_between(run, scenario, "log", "file", "null"); !log.empty()) {
    const auto sure = certain(log);
    parts.push_back(sure.empty() ? "What the log costs cannot be told from noise here."
                                 : fmt::format("Writing no log brings {}{}.", median_range(sure, change), reservations(sure, log.size())));
  }
  if (const auto disk = effects_between(run, scenario, "log", "file", "own-disk"); !disk.empty()) {
    parts.push_back(log_disk_advice(disk));
  }
  about_ends(run, scenario, "busy", "Busy guests", change, parts);
  const auto crypto = effects_between(run, scenario, "crypto", "software", "hardware");
  if (const auto sure = certain(crypto); !crypto.empty()) {
    parts.push_back(sure.empty()
                        ? "What hardware crypto brings cannot be told from noise here."
                        : fmt::format("Hardware crypto brings {}{}.", crypto_gains(sure, cells), reservations(sure, crypto.size())));
  }
  return parts.empty() ? "No effect of this scenario's axes can be told from noise in this run." : join(parts, " ");
}

}  // namespace lab::report
