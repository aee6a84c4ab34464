#include "commands.hpp"

#include "report/runs_page.hpp"
#include "run/matrix.hpp"
#include "runs_text.hpp"
#include "store/files.hpp"

#include <boost/json.hpp>
#include <filesystem>
#include <memory>

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string reports = "reports", cell, html;
  bool json = false;
};

struct Found {
  std::vector<store::RunSummary> runs;
  std::vector<store::Trend> trends;
};

// Of cells that `cell`, a glob, matches; empty: of all.
Result<Found> read_index(const std::string& reports, const std::string& cell, bool with_trends) {
  Found found;
  if (!fs::is_directory(reports)) {
    return found;
  }
  auto index = store::Index::open(reports);
  if (!index) {
    return index.error();
  }
  if (auto synced = (*index)->sync(); !synced) {
    return synced.error();
  }
  auto runs = (*index)->list();
  if (!runs) {
    return runs.error();
  }
  found.runs = std::move(*runs);
  if (with_trends) {
    auto trends = (*index)->trends([&cell](const std::string& id) { return cell.empty() || run::matches_glob(cell, id); });
    if (!trends) {
      return trends.error();
    }
    found.trends = std::move(*trends);
  }
  return found;
}

void print_trends(Context& context, const Options& options, const Found& found) {
  if (options.json) {
    context.out << trends_json(found.trends) << '\n';
  } else if (found.trends.empty()) {
    context.fail(Error{"no run has a cell that matches " + options.cell, options.reports,
                       "lab run --list prints the cells of a playbook; * also matches /", "", Failure::usage});
  } else {
    context.out << trends_text(found.trends);
  }
}

void print_runs(Context& context, const Options& options, const Found& found) {
  if (options.json) {
    context.out << runs_json(found.runs) << '\n';
  } else if (found.runs.empty()) {
    context.out << "no runs in " << options.reports << "; measure one with: lab run\n";
  } else {
    context.out << runs_text(found.runs);
  }
}

void write_page(Context& context, const Options& options, const Found& found) {
  if (found.runs.empty()) {
    return context.fail(Error{"there is no run in " + options.reports, "", "measure one with: lab run", "", Failure::usage});
  }
  const fs::path reports = options.reports, page = options.html.empty() ? reports / "index.html" : fs::path(options.html);
  const fs::path from = page == "-" ? fs::current_path() : fs::absolute(page).lexically_normal().parent_path();
  std::vector<report::ListedRun> listed;
  for (const store::RunSummary& run : found.runs) {
    const fs::path file = fs::absolute(reports / run.name / "report.html").lexically_normal();
    std::error_code ignored;
    listed.push_back({run, fs::exists(file, ignored) ? file.lexically_relative(from).string() : ""});
  }
  const std::string text = report::runs_page(listed, found.trends);
  if (page == "-") {
    context.out << text;
    return;
  }
  if (const auto written = store::write_atomically(page, text); !written) {
    return context.fail(written.error());
  }
  if (!context.quiet) {
    context.out << page.string() << '\n';
  }
}

void list_runs(Context& context, const Options& options, bool as_page) {
  const auto found = read_index(options.reports, options.cell, as_page || !options.cell.empty());
  if (!found) {
    return context.fail(found.error());
  }
  if (as_page) {
    write_page(context, options, *found);
  } else if (!options.cell.empty()) {
    print_trends(context, options, *found);
  } else {
    print_runs(context, options, *found);
  }
}

}  // namespace

void add_runs(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("runs", "lists the runs that there are, or what became of a cell over them");
  command->add_option("-o,--reports", options->reports, "the folder of runs: reports unless given")->type_name("DIR");
  command->add_option("--cell", options->cell, "the trend of the cells whose id matches; * also matches /")->type_name("GLOB");
  CLI::Option* json = command->add_flag("--json", options->json, "as JSON");
  CLI::Option* html = command
                          ->add_option("--html", options->html,
                                       "a page of all runs, with links and trends; DIR/index.html unless given, - for standard output")
                          ->type_name("[FILE]")
                          ->expected(0, 1)
                          ->excludes(json);
  command->callback([options, html, &context] { list_runs(context, *options, html->count() > 0); });
}

}  // namespace lab::cli
