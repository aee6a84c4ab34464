#include "report/effect_text.hpp"
#include "report/observations.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

void about_change(const Run& run, const ScenarioView& scenario, std::string_view name, const std::string& from, const std::string& to,
                  std::string (*as)(double), std::vector<std::string>& out) {
  const auto effects = effects_between(run, scenario, name, from, to);
  const auto sure = certain(effects);
  if (!effects.empty()) {
    out.push_back(fmt::format("{} brings {}.", subject(name, from, to),
                              sure.empty() ? "nothing that can be told from noise" : amount(sure, effects.size(), as)));
  }
}

// From the least value of an axis to the greatest.
void about_ends(const Run& run, const ScenarioView& scenario, std::string_view name, std::string (*as)(double),
                std::vector<std::string>& out) {
  if (const auto values = axis_values(measured(scenario.cells), name); values.size() > 1) {
    about_change(run, scenario, name, values.front(), values.back(), as, out);
  }
}

void about_gateways(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  const auto gateways = axis_values(measured(scenario.cells), "gateway");
  for (std::size_t i = 1; i < gateways.size(); ++i) {
    about_change(run, scenario, "gateway", gateways.front(), gateways[i], change, out);
  }
}

// The study advises a disk of its own for the log, without a figure: what follows here depends on what was measured.
std::string log_disk_advice(const std::vector<Effect>& effects) {
  const auto sure = certain(effects);
  if (sure.empty()) {
    return "Whether a disk of its own relieves the log cannot be told from noise here: the advice to give it one has no figure behind it.";
  }
  const bool faster = std::ranges::all_of(sure, [](const Effect& each) { return each.ratio.median > 1; });
  return fmt::format("A disk of its own for the log brings {}: {}.", amount(sure, effects.size(), change),
                     faster ? "give it one" : "nothing here speaks for one");
}

// What hardware crypto brings, page by page.
std::string crypto_gains(const std::vector<Effect>& effects, const Cells& cells) {
  const auto pages = axis_values(cells, "page");
  std::vector<std::string> parts;
  for (const std::string& page : pages) {
    std::vector<Effect> those;
    std::ranges::copy_if(effects, std::back_inserter(those), [&](const Effect& each) { return axis(*each.a, "page") == page; });
    if (const auto sure = certain(those); !sure.empty()) {
      parts.push_back(amount(sure, those.size(), change) + (pages.size() > 1 ? " at " + axis_text("page", page) : ""));
    }
  }
  return listing(parts);
}

}  // namespace

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
  about_ends(run, scenario, "cpus", times, parts);
  about_ends(run, scenario, "clients", change, parts);
  if (const auto log = effects_between(run, scenario, "log", "file", "null"); !log.empty()) {
    const auto sure = certain(log);
    parts.push_back(sure.empty() ? "What the log costs cannot be told from noise here."
                                 : fmt::format("Writing no log brings {}.", amount(sure, log.size(), change)));
  }
  if (const auto disk = effects_between(run, scenario, "log", "file", "own-disk"); !disk.empty()) {
    parts.push_back(log_disk_advice(disk));
  }
  about_ends(run, scenario, "busy", change, parts);
  about_gateways(run, scenario, parts);
  if (const auto crypto = effects_between(run, scenario, "crypto", "software", "hardware"); !crypto.empty()) {
    const std::string gains = crypto_gains(crypto, cells);
    parts.push_back(gains.empty() ? "What hardware crypto brings cannot be told from noise here."
                                  : "Hardware crypto brings " + gains + ".");
  }
  return parts.empty() ? "No effect of this scenario's axes can be told from noise in this run." : join(parts, " ");
}

}  // namespace lab::report
