#include "commands.hpp"

#include "config/config.hpp"
#include "load_options.hpp"
#include "load_text.hpp"
#include "load_watch.hpp"
#include "roles/common/role.hpp"
#include "roles/load/calibrate.hpp"
#include "roles/load/load.hpp"
#include "roles/load/outcome.hpp"
#include "roles/load/search.hpp"
#include "roles/load/target.hpp"

#include <boost/json.hpp>
#include <memory>

namespace lab::cli {

namespace {

Result<boost::json::value> answer(load::Load& load, std::string_view method) {
  if (method == "stats") {
    const load::LiveCounts counts = load.live();
    return boost::json::object{
        {"started", counts.started}, {"done", counts.done}, {"failed", counts.failed}, {"in_flight", counts.in_flight}};
  }
  if (method == "stop") {
    load.stop();
    return boost::json::object{};
  }
  if (method == "ping") {
    return boost::json::object{};
  }
  return Error{"no such method", std::string(method), "load answers stats, stop and ping", {}};
}

struct Wanted {
  LoadConfig config;
  std::vector<load::Threshold> thresholds, limits;
  bool find_max = false;
  bool json = false;
  int ready_fd = -1;
};

Result<LoadConfig, Errors> read_config(const CLI::App& command, const LoadOptions& options) {
  const std::string file = config_file(options);
  if (file.empty()) {
    Result<LoadConfig> config = to_config(options);
    return config ? Result<LoadConfig, Errors>(std::move(*config)) : Errors{config.error()};
  }
  if (const Result<void> alone = refuse_beside_file(command, options); !alone) {
    return Errors{alone.error()};
  }
  const Result<std::string> text = config::read_file(file);
  if (!text) {
    return Errors{text.error()};
  }
  return config::parse_load(*text, file);
}

Result<Wanted, Errors> read_wanted(const CLI::App& command, const LoadOptions& options) {
  Result<LoadConfig, Errors> config = read_config(command, options);
  if (!config) {
    return config.error();
  }
  Wanted wanted{std::move(*config), {}, {}, options.find_max, options.json || !config_file(options).empty(), options.ready_fd};
  if (wanted.find_max && wanted.config.requests) {
    return Errors{{"each attempt at a rate takes its time, not a number of requests", {}, "give -d instead of -n", {}, Failure::usage}};
  }
  for (const auto& [texts, into] : {std::pair(&options.fail_if, &wanted.thresholds), std::pair(&options.slo, &wanted.limits)}) {
    Result<std::vector<load::Threshold>> thresholds = to_thresholds(*texts);
    if (!thresholds) {
      return Errors{thresholds.error()};
    }
    *into = std::move(*thresholds);
  }
  return wanted;
}

// Until it has finished; with a control socket where one is asked for.
Result<load::Outcome> drive(const LoadConfig& config, int ready_fd, LoadFiles& files, Context& context) {
  Result<std::unique_ptr<load::Load>> load = load::Load::prepare(config, wants_intervals(files, context));
  if (!load) {
    return load.error();
  }
  std::unique_ptr<roles::ControlServer> control;
  if (!config.control.empty()) {
    Result<std::unique_ptr<roles::ControlServer>> started = roles::ControlServer::start(
        config.control, [&driver = **load](std::string_view method, const boost::json::object&) { return answer(driver, method); });
    if (!started) {
      return started.error();
    }
    control = std::move(*started);
  }
  if (ready_fd >= 0) {
    roles::tell_ready(ready_fd, {});
  }
  (*load)->begin();
  watch(**load, files, context);
  return (*load)->outcome();
}

// A pair whose gap is not given is loaded for a moment to find out how long it has to be.
Result<void> calibrate(LoadConfig& config, Context& context) {
  if (!config.against || config.against->gap) {
    return {};
  }
  LoadFiles none;
  const Result<load::Outcome> outcome = drive(load::calibration(config), -1, none, context);
  if (!outcome) {
    return outcome.error();
  }
  if (const Result<void> verdict = load::verdict(*outcome); !verdict) {
    return verdict;
  }
  config.against = load::calibrated(*config.against, *outcome);
  return {};
}

void conclude(const Wanted& wanted, const load::Outcome& outcome, Context& context) {
  if (context.interrupt.requested()) {
    context.exit_code = static_cast<int>(Failure::interrupted);
    return;
  }
  for (const load::Flag flag : load::flags_of(outcome)) {
    if (flag == load::Flag::unreconciled) {
      return context.fail(Error{load::explain(outcome, flag), {}, {}, {}});
    }
    if (!context.quiet) {
      context.err << "warning: " << load::name_of(flag) << ": " << load::explain(outcome, flag) << '\n';
    }
  }
  if (const Result<void> verdict = load::verdict(outcome); !verdict) {
    context.fail(verdict.error());
  } else if (const Result<void> judged = load::judge(outcome, wanted.thresholds); !judged) {
    context.fail(judged.error());
  }
}

void measure(Wanted wanted, Context& context) {
  if (const Result<load::Target> target = load::make_target(wanted.config); !target) {  // before files are written over
    return context.fail(target.error());
  }
  LoadFiles files;
  if (const Result<void> opened = files.open(wanted.config); !opened) {
    return context.fail(opened.error());
  }
  if (const Result<void> calibrated = calibrate(wanted.config, context); !calibrated) {
    return context.fail(calibrated.error());
  }
  const Result<load::Outcome> outcome = drive(wanted.config, wanted.ready_fd, files, context);
  if (!outcome) {
    return context.fail(outcome.error());
  }
  if (wanted.json) {
    context.out << boost::json::serialize(load::to_json(*outcome)) << std::endl;
  } else {
    print(context.out, wanted.config, *outcome);
  }
  if (const Result<void> written = files.close(); !written) {
    context.fail(written.error());
  }
  conclude(wanted, *outcome, context);
}

void search(const Wanted& wanted, Context& context) {
  load::SearchPlan plan;
  plan.start = wanted.config.rate.value_or(plan.start);
  plan.limits = wanted.limits;
  LoadFiles none;
  const auto attempt = [&](double rate) -> Result<load::Outcome> {
    LoadConfig config = wanted.config;
    config.rate = rate;
    Result<load::Outcome> outcome = drive(config, -1, none, context);
    if (outcome && context.interrupt.requested()) {
      return Error{"interrupted", {}, {}, {}, Failure::interrupted};
    }
    if (const Result<void> verdict = outcome ? load::verdict(*outcome) : Result<void>(); !verdict) {
      return verdict.error();
    }
    return outcome;
  };
  const auto tell = [&](const load::Probe& probe) {
    if (!context.quiet) {
      (wanted.json ? context.err : context.out) << text_of(probe) << std::endl;
    }
  };
  roles::tell_ready(wanted.ready_fd, {});
  const Result<load::Search> found = load::find_max(plan, attempt, tell);
  if (!found) {
    return context.fail(found.error());
  }
  if (wanted.json) {
    context.out << boost::json::serialize(load::to_json(*found)) << std::endl;
  } else {
    print(context.out, *found);
  }
  context.exit_code = found->rate > 0 ? 0 : static_cast<int>(Failure::missed);
}

}  // namespace

void add_load(CLI::App& root, Context& context) {
  auto options = std::make_shared<LoadOptions>();
  CLI::App* command = root.add_subcommand("load", "the load driver: clients against one URL, or two in turn; closed or open loop");
  add_load_options(*command, *options);
  command->callback([options, command, &context] {
    options->duration_given = command->count("--duration") > 0;
    const Result<Wanted, Errors> wanted = read_wanted(*command, *options);
    if (!wanted) {
      return context.fail(wanted.error());
    }
    wanted->find_max ? search(*wanted, context) : measure(*wanted, context);
  });
}

}  // namespace lab::cli
