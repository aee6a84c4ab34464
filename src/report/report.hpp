// From a run directory to a report: HTML to show around, Markdown, CSV or JSON to work with.
#pragma once

#include "lab/error.hpp"
#include "lab/results.hpp"
#include "report/percentiles.hpp"
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
  std::map<std::string, CellTimes> times;  // by cell, of those with histograms
  std::vector<int> shown;                    // trials whose time series go into the page, as trials_to_show has them
  std::size_t asked = 0;                     // so many of them were asked for: they do, however large
  std::vector<store::NodeSample> samples;    // of those among them that were measured singly
};

void index_trials(Run& run);  // so that what asks for a cell's trials need not go through all

// `trials`: numbers of those whose time series are wanted on the page above all others. Errors: no such directory, no results.json in it
// yet, no trial of that number.
Result<Run> read_run(const std::filesystem::path& run_directory, const std::vector<int>& trials = {});

std::string render(const Run& run, Format format);  // one text: Markdown without pictures

// Reads the run, renders it and replaces `output` in one step (temporary file, rename); an empty `output` is
// RUN/report.html, .md, .csv or .json. Markdown gets its charts as SVG files, in the folder report-charts beside report.md (whatever its
// name, before its extension). Returns where it is.
Result<std::filesystem::path> write_report(const std::filesystem::path& run_directory, Format format = Format::html,
                                           const std::filesystem::path& output = {}, const std::vector<int>& trials = {});
}  // namespace lab::report
