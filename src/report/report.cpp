#include "report/report.hpp"

#include "config/config.hpp"
#include "report/chart_files.hpp"
#include "report/html.hpp"
#include "report/plain.hpp"
#include "report/series.hpp"
#include "report/text.hpp"
#include "store/files.hpp"
#include "store/raw.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <set>

namespace lab::report {

namespace {

// As a link has it (RFC 3986): what is not unreserved is percent-encoded.
std::string link_to(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

// Pictures first: a page without them would be the worse of the two to be left with.
Result<std::filesystem::path> write_markdown(const Run& run, const std::filesystem::path& path) {
  const std::string folder = path.stem().string() + "-charts";
  const auto charts = path.parent_path() / folder;
  std::error_code failed;
  std::filesystem::create_directories(charts, failed);
  if (failed) {
    return system_error("make the charts' folder " + charts.string(), failed.value(), "see whether the folder may be written to");
  }
  for (const ScenarioView& scenario : scenarios(run)) {
    for (const ChartFile& file : chart_files(run, scenario)) {
      if (auto written = store::write_atomically(charts / file.name, file.svg); !written) {
        return written.error();
      }
    }
  }
  if (auto written = store::write_atomically(path, render_markdown(run, link_to(folder))); !written) {
    return written.error();
  }
  return path;
}

// What trials left beside their lines.
void read_raw(const std::filesystem::path& run_directory, const std::vector<int>& asked, Run& run) {
  run.times = read_percentiles(run_directory, run);
  run.shown = trials_to_show(run.trials, asked);
  run.asked = asked.size();
  std::set<int> single;
  for (const Trial& trial : run.trials) {
    if (trial.kind == "single" && std::ranges::find(run.shown, trial.trial) != run.shown.end()) {
      single.insert(trial.trial);
    }
  }
  run.samples = store::read_samples(run_directory, single);
}

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
  for (const Format format : {Format::html, Format::markdown, Format::csv, Format::json}) {
    if (text == extension(format)) {
      return format;
    }
  }
  return std::nullopt;
}

std::string_view extension(Format format) {
  switch (format) {
    case Format::html: return "html";
    case Format::markdown: return "md";
    case Format::csv: return "csv";
    case Format::json: return "json";
  }
  return {};
}

void index_trials(Run& run) {
  run.places.clear();
  for (std::size_t i = 0; i < run.trials.size(); ++i) {
    for (const Side& side : run.trials[i].sides) {
      auto& places = run.places[side.cell];
      if (places.empty() || places.back() != i) {  // both sides of an A/A pair are one cell's
        places.push_back(i);
      }
    }
  }
}

Result<Run> read_run(const std::filesystem::path& run_directory, const std::vector<int>& trials) {
  auto stored = store::read_run(run_directory);
  if (!stored) {
    return stored.error();
  }
  if (!stored->results) {
    return Error{"this run has no results yet: it did not get to its end",
                 run_directory.string(),
                 "finish it: lab run --resume " + run_directory.filename().string(),
                 {}};
  }
  Run run;
  run.record = std::move(stored->record);
  run.results = std::move(*stored->results);
  run.trials = std::move(stored->trials);
  for (const int wanted : trials) {
    if (std::ranges::find(run.trials, wanted, &Trial::trial) == run.trials.end()) {
      return Error{fmt::format("this run has no trial {}", wanted),
                   run_directory.string(),
                   fmt::format("it has {}, numbered from 1", count(run.trials.size(), "trial", "trials")),
                   {},
                   Failure::usage};
    }
  }
  index_trials(run);
  read_raw(run_directory, trials, run);
  if (auto playbook = config::parse_playbook(run.record.playbook_text, run.record.playbook)) {
    run.playbook = std::move(*playbook);
  }
  if (auto lab = config::parse_lab(run.record.lab_text, run.record.lab)) {
    run.lab = std::move(*lab);
  }
  return run;
}

std::string render(const Run& run, Format format) {
  switch (format) {
    case Format::html: return render_html(run);
    case Format::markdown: return render_markdown(run);
    case Format::csv: return render_csv(run);
    case Format::json: return render_json(run);
  }
  return {};
}

Result<std::filesystem::path> write_report(const std::filesystem::path& run_directory, Format format, const std::filesystem::path& output,
                                           const std::vector<int>& trials) {
  const auto run = read_run(run_directory, trials);
  if (!run) {
    return run.error();
  }
  const auto path = output.empty() ? run_directory / ("report." + std::string(extension(format))) : output;
  if (format == Format::markdown) {
    return write_markdown(*run, path);
  }
  if (auto written = store::write_atomically(path, render(*run, format)); !written) {
    return written.error();
  }
  return path;
}

}  // namespace lab::report
