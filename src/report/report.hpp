// From a run directory to a report: HTML to show around, Markdown, CSV or JSON to work with.
#pragma once

#include "lab/error.hpp"
#include "lab/results.hpp"
#include "store/run_directory.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lab::report {

enum class Format { html, markdown, csv, json };

// "html", "md", "csv", "json", as --format takes them and as the file's extension.
std::optional<Format> parse_format(std::string_view text);
std::string_view extension(Format format);

// A run as its directory tells it. A value: rendering reads nothing else.
struct Run {
  store::RunRecord record;
  Results results;
  std::vector<Trial> trials;
  std::unordered_map<std::string, std::vector<std::size_t>> places;  // of a cell's trials; empty where nobody has looked (index_trials)
  Playbook playbook;  // from the record's texts; empty where they are missing or of a later version
  Lab lab;
};

void index_trials(Run& run);  // so that what asks for a cell's trials need not go through all

// Errors: no such directory, or no results.json in it yet.
Result<Run> read_run(const std::filesystem::path& run_directory);

std::string render(const Run& run, Format format);  // one text: Markdown without pictures

// Reads the run, renders it and replaces `output` in one step (temporary file, rename); an empty `output` is
// RUN/report.html, .md, .csv or .json. Markdown gets its charts as SVG files, in the folder report-charts beside report.md (whatever its
// name, before its extension). Returns where it is.
Result<std::filesystem::path> write_report(const std::filesystem::path& run_directory, Format format = Format::html,
                                           const std::filesystem::path& output = {});
}  // namespace lab::report
