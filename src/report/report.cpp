#include "report/report.hpp"

#include "config/config.hpp"
#include "report/html.hpp"
#include "report/plain.hpp"
#include "store/files.hpp"

namespace lab::report {

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

Result<Run> read_run(const std::filesystem::path& run_directory) {
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
  Run run{std::move(stored->record), std::move(*stored->results), std::move(stored->trials), {}, {}};
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

Result<std::filesystem::path> write_report(const std::filesystem::path& run_directory, Format format, const std::filesystem::path& output) {
  const auto run = read_run(run_directory);
  if (!run) {
    return run.error();
  }
  const auto path = output.empty() ? run_directory / ("report." + std::string(extension(format))) : output;
  if (auto written = store::write_atomically(path, render(*run, format)); !written) {
    return written.error();
  }
  return path;
}

}  // namespace lab::report
