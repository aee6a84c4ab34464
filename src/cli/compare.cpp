#include "commands.hpp"

#include "report/comparison_formats.hpp"
#include "store/files.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string a, b, format = "text", output = "-", reports = "reports";
  std::vector<std::string> fail_if;
  bool json = false;
};

Result<std::vector<report::Threshold>> thresholds_of(const Options& options) {
  std::vector<report::Threshold> thresholds;
  for (const std::string& text : options.fail_if) {
    auto threshold = report::parse_threshold(text);
    if (!threshold) {
      return threshold.error();
    }
    thresholds.push_back(std::move(*threshold));
  }
  return thresholds;
}

struct TwoRuns {
  report::Run a, b;
};

Result<TwoRuns> read_runs(const Options& options) {
  const auto where_a = store::find_run(options.reports, options.a), where_b = store::find_run(options.reports, options.b);
  if (!where_a || !where_b) {
    return where_a ? where_b.error() : where_a.error();
  }
  if (*where_a == *where_b) {
    return Error{"both are the same run: " + where_a->filename().string(), "",
                 "name two: lab compare BEFORE AFTER; lab runs lists those in " + options.reports, "", Failure::usage};
  }
  auto a = report::read_run(*where_a), b = report::read_run(*where_b);
  if (!a || !b) {
    return a ? b.error() : a.error();
  }
  return TwoRuns{std::move(*a), std::move(*b)};
}

std::string rendered(const report::Comparison& comparison, const report::Thresholds& thresholds, const std::string& format) {
  return format == "md"     ? report::comparison_markdown(comparison, thresholds)
         : format == "json" ? report::comparison_json(comparison, thresholds)
         : format == "html" ? report::comparison_html(comparison, thresholds)
                            : report::comparison_text(comparison, thresholds);
}

// On standard output, or into a file whose name is printed.
Result<void> put(Context& context, const std::string& text, const std::string& output) {
  if (output != "-") {
    auto written = store::write_atomically(output, text);
    if (written && !context.quiet) {
      context.out << output << '\n';
    }
    return written;
  }
  errno = 0;
  context.out << text << std::flush;
  if (!context.out && errno != EPIPE) {  // a reader that has seen enough is no error
    return Error{"write the comparison to standard output: it was not taken whole", "", "is the disk full?", ""};
  }
  return {};
}

void conclude(Context& context, const report::Comparison& comparison, const report::Thresholds& thresholds) {
  if (comparison.cells.empty()) {
    return context.fail(Error{"no cell was measured in both runs: nothing is compared", "", "lab report RUN lists the cells of each", ""});
  }
  for (const report::ThresholdResult& result : thresholds) {
    if (!result.missed.empty()) {
      std::string cells;
      for (const std::string& cell : result.missed) {
        cells += (cells.empty() ? "  " : "\n  ") + cell;
      }
      context.fail(Error{result.threshold.text + " is missed by " + std::to_string(result.missed.size()) + " of " +
                             std::to_string(comparison.cells.size()) + " cells",
                         "", "", cells, Failure::missed});
    }
  }
}

void compare(const Options& options, Context& context) {
  const auto thresholds = thresholds_of(options);
  if (!thresholds) {
    return context.fail(thresholds.error());
  }
  const auto runs = read_runs(options);
  if (!runs) {
    return context.fail(runs.error());
  }
  const report::Comparison comparison = report::compare(runs->a, runs->b);
  report::Thresholds judged;
  for (const report::Threshold& threshold : *thresholds) {
    judged.push_back(report::judge(comparison, threshold));
  }
  const std::string format = options.json ? "json" : options.format;
  if (const auto done = put(context, rendered(comparison, judged, format), options.output); !done) {
    return context.fail(done.error());
  }
  if (format != "text" || options.output != "-") {  // else it is in what was just printed
    for (const report::ThresholdResult& result : judged) {
      context.err << report::to_string(result) << '\n';
    }
  }
  conclude(context, comparison, judged);
}

}  // namespace

void add_compare(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("compare", "compares two runs, cell by cell: what changed from A to B, and how surely");
  command->add_option("A", options->a, "a run's directory, its name in reports, or latest")->required();
  command->add_option("B", options->b, "likewise")->required();
  command
      ->add_option(
          "--fail-if", options->fail_if,
          "exit with 3 when a cell surely misses it: throughput, cpu or p99, < or >, a change in percent: 'throughput<-5%'; may be "
          "repeated")
      ->type_name("THRESHOLD")
      ->allow_extra_args(false);
  command->add_option("--format", options->format, "text unless given; md, json, html")
      ->check(CLI::IsMember({"text", "md", "json", "html"}));
  command->add_flag("--json", options->json, "the same as --format json");
  command->add_option("-o,--output", options->output, "where to; standard output unless given")->type_name("FILE");
  command->add_option("--reports", options->reports, "the folder of runs; reports unless given")->type_name("DIR");
  command->callback([options, &context] { compare(*options, context); });
}

}  // namespace lab::cli
