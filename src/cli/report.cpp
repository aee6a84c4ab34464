#include "commands.hpp"
#include "open.hpp"

#include "report/report.hpp"
#include "store/run_directory.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <vector>

namespace lab::cli {

namespace {

struct Options {
  std::string run, format = "html", output, reports = "reports";
  std::vector<int> trials;
  bool open = false;
};

void write(const Options& options, Context& context) {
  const auto directory = store::find_run(options.reports, options.run);
  if (!directory) {
    return context.fail(directory.error());
  }
  const report::Format format = *report::parse_format(options.format);  // CLI11 has checked it
  if (!options.trials.empty() && format != report::Format::html) {
    return context.fail(Error{"--trial puts a trial's time series into the page, and " + options.format + " has none",
                              {},
                              "leave --format away, or read trials.jsonl in the run's directory",
                              {},
                              Failure::usage});
  }
  if (options.output == "-") {
    const auto run = report::read_run(*directory, options.trials);
    if (!run) {
      return context.fail(run.error());
    }
    errno = 0;
    context.out << report::render(*run, format) << std::flush;
    if (!context.out && errno != EPIPE) {  // a reader that has seen enough is no error
      context.fail(Error{"write the report to standard output: it was not taken whole", {}, "is the disk full?", {}});
    }
    return;
  }
  const auto written = report::write_report(*directory, format, options.output, options.trials);
  if (!written) {
    return context.fail(written.error());
  }
  if (!context.quiet) {
    context.out << written->string() << '\n';
  }
  if (options.open) {
    const auto shown =
        open_in_browser(std::filesystem::absolute(*written).string(), "copy the file to a machine with a browser: it needs nothing else");
    if (!shown) {
      context.fail(shown.error());
    }
  }
}

}  // namespace

void add_report(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("report", "writes a run's report, again if it is there");
  command->add_option("RUN", options->run, "a run's directory, or its name in reports; the latest unless given");
  command->add_option("--format", options->format, "html unless given; md (its charts as SVG files beside it), csv, json")
      ->check(CLI::IsMember({"html", "md", "csv", "json"}));
  command->add_option("-o,--output", options->output, "where to; RUN/report.FORMAT unless given, - for standard output")->type_name("FILE");
  command->add_option("--trial", options->trials, "puts this trial's time series into the page, however large; may be repeated")
      ->type_name("N")
      ->allow_extra_args(false);
  command->add_option("--reports", options->reports, "the folder of runs; reports unless given")->type_name("DIR");
  command->add_flag("--open", options->open, "show it in the desktop's browser");
  command->callback([options, &context] { write(*options, context); });
}

}  // namespace lab::cli
