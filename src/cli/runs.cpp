#include "commands.hpp"

#include "store/index.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <memory>

namespace lab::cli {

namespace {

boost::json::object to_json(const store::RunSummary& run) {
  return {{"name", run.name},
          {"lab", run.lab},
          {"playbook", run.playbook},
          {"profile", run.profile},
          {"started", run.started},
          {"state", run.state},
          {"trials", run.trials},
          {"cells", {{"measured", run.measured}, {"skipped", run.skipped}, {"failed", run.failed}, {"flagged", run.flagged}}},
          {"claims", {{"agrees", run.agrees}, {"differs", run.differs}, {"cannot-tell", run.cannot_tell}}}};
}

void print_table(Context& context, const std::vector<store::RunSummary>& runs) {
  std::size_t width = 4;
  for (const store::RunSummary& run : runs) {
    width = std::max(width, run.name.size());
  }
  context.out << fmt::format("{:<{}}  {:<10} {:>6}  {:>8} {:>7} {:>6} {:>7}  {:>6} {:>7} {:>11}\n", "run", width, "state", "trials",
                             "measured", "skipped", "failed", "flagged", "agrees", "differs", "cannot-tell");
  for (const store::RunSummary& run : runs) {
    context.out << fmt::format("{:<{}}  {:<10} {:>6}  {:>8} {:>7} {:>6} {:>7}  {:>6} {:>7} {:>11}\n", run.name, width, run.state,
                               run.trials, run.measured, run.skipped, run.failed, run.flagged, run.agrees, run.differs, run.cannot_tell);
  }
}

Result<std::vector<store::RunSummary>> read_runs(const std::string& reports) {
  if (!std::filesystem::is_directory(reports)) {
    return std::vector<store::RunSummary>{};
  }
  auto index = store::Index::open(reports);
  if (!index) {
    return index.error();
  }
  if (auto synced = (*index)->sync(); !synced) {
    return synced.error();
  }
  return (*index)->list();
}

void list_runs(Context& context, const std::string& reports, bool as_json) {
  const auto runs = read_runs(reports);
  if (!runs) {
    return context.fail(runs.error());
  }
  if (as_json) {
    boost::json::array all;
    for (const store::RunSummary& run : *runs) {
      all.push_back(to_json(run));
    }
    context.out << boost::json::object{{"runs", std::move(all)}} << '\n';
  } else if (runs->empty()) {
    context.out << "no runs in " << reports << "; measure one with: lab run\n";
  } else {
    print_table(context, *runs);
  }
}

}  // namespace

void add_runs(CLI::App& root, Context& context) {
  struct Options {
    std::string reports = "reports";
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("runs", "lists the runs that there are");
  command->add_option("-o", options->reports, "the folder of runs: reports unless given")->type_name("DIR");
  command->add_flag("--json", options->json, "as JSON");
  command->callback([options, &context] { list_runs(context, options->reports, options->json); });
}

}  // namespace lab::cli
