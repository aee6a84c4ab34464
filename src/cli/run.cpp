#include "commands.hpp"
#include "labs.hpp"
#include "numbers.hpp"
#include "run_progress.hpp"
#include "run_text.hpp"
#include "run_web.hpp"

#include "config/config.hpp"
#include "lab/version.hpp"
#include "orchestrator/attach.hpp"
#include "report/report.hpp"
#include "run/environment.hpp"
#include "run/firewalls.hpp"
#include "run/measure.hpp"
#include "run/summary.hpp"
#include "stats/claims.hpp"
#include "store/index.hpp"
#include "store/json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <fstream>
#include <memory>
#include <random>

namespace lab::cli {

namespace {

using namespace std::chrono_literals;

struct Options {
  std::string playbook = "webseal-2007";
  std::string profile = "quick";
  std::vector<std::string> only;
  int repeats = 0;  // 0: the profile's
  std::string until;
  std::optional<std::uint64_t> seed;
  std::string resume;
  bool list = false;
  bool fail_if_claims = false;
  std::string name;
  std::string reports = "reports";
  bool json = false;
  std::string web;  // address; empty: no live view
  bool open = false;
};

// What a run is made from: by the options, or for --resume by the record of the run that goes on.
struct Order {
  Playbook playbook;
  Profile profile;  // with the options applied
  std::vector<std::string> only;
  double until = 0;  // share of the value that an interval may reach to either side; 0: any
  std::uint64_t seed = 0;
  std::filesystem::path resumed;  // its directory; empty: a new run
  std::optional<store::StoredRun> earlier;
};

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) {
    words.push_back(word);
  }
  return words;
}

// 32 bits: short to type, and exact in every JSON reader.
std::uint64_t random_seed() { return std::random_device{}(); }

Result<Profile, Errors> find_profile(const Playbook& playbook, const std::string& name) {
  if (const Profile* profile = playbook.profile(name); profile != nullptr) {
    return *profile;
  }
  std::vector<std::string> names;
  for (const Profile& profile : playbook.profiles) {
    names.push_back(profile.name);
  }
  return Errors{
      {"playbook " + playbook.name + " has no profile " + name, {}, fmt::format("it has: {}", fmt::join(names, ", ")), {}, Failure::usage}};
}

// "interval<2%" → 0.02; nothing → 0.
Result<double> parse_until(const std::string& text) {
  if (text.empty()) {
    return 0.0;
  }
  constexpr std::string_view kBegin = "interval<";
  double percent = 0;
  const char* const end = text.data() + text.size();
  const bool begins = text.starts_with(kBegin) && text.ends_with('%');
  const auto read = begins ? std::from_chars(text.data() + kBegin.size(), end - 1, percent)
                           : std::from_chars_result{text.data(), std::errc::invalid_argument};
  if (read.ec != std::errc{} || read.ptr != end - 1 || percent <= 0 || percent > 100) {
    return Error{"\"" + text + "\" is no end for repeats", "--until", "write for example 'interval<2%'", {}, Failure::usage};
  }
  return percent / 100;
}

Result<Order, Errors> new_order(const Options& options) {
  auto playbook = config::load_playbook(options.playbook);
  if (!playbook) {
    return playbook.error();
  }
  auto profile = find_profile(*playbook, options.profile);
  if (!profile) {
    return profile.error();
  }
  if (options.repeats > 0) {
    profile->repeats = options.repeats;
  }
  const auto until = parse_until(options.until);
  if (!until) {
    return Errors{until.error()};
  }
  return Order{std::move(*playbook), std::move(*profile), options.only, *until, options.seed.value_or(random_seed()), {}, std::nullopt};
}

Result<Order, Errors> resumed_order(const Options& options) {
  auto directory = store::find_run(options.reports, options.resume);
  if (!directory) {
    return Errors{directory.error()};
  }
  auto earlier = store::read_run(*directory);
  if (!earlier) {
    return Errors{earlier.error()};
  }
  const store::RunRecord& record = earlier->record;
  auto playbook = config::parse_playbook(record.playbook_text, (*directory / "run.json").string());
  if (!playbook) {
    return playbook.error();
  }
  auto profile = find_profile(*playbook, record.profile);
  if (!profile) {
    return profile.error();
  }
  profile->warmup = record.warmup;
  profile->measure = record.measure;
  profile->repeats = record.repeats;
  Order order{std::move(*playbook), std::move(*profile), record.only, record.until, record.seed, *directory, std::nullopt};
  order.earlier = std::move(*earlier);
  return order;
}

std::vector<store::PlannedCell> planned_cells(const run::Plan& plan) {
  std::vector<store::PlannedCell> cells;
  for (const run::Cell& cell : plan.cells) {
    const auto skipped = plan.skipped.find(cell.id);
    cells.push_back({cell.id, skipped == plan.skipped.end() ? std::string() : skipped->second});
  }
  return cells;
}

boost::json::object environment_of(const run::Bench& bench, const Order& order, const store::RunRecord& record) {
  boost::json::object environment = run::host_environment("/");
  run::add_lab_environment(environment, bench.standing, bench.facts, order.playbook);
  environment["profile"] = record.profile;
  environment["command"] = fmt::format("{}", fmt::join(record.command, " "));
  environment["seed"] = record.seed;
  environment["started"] = record.started;
  environment["warmup_s"] = static_cast<double>(record.warmup.count()) / 1e9;
  environment["measure_s"] = static_cast<double>(record.measure.count()) / 1e9;
  environment["repeats"] = record.repeats;
  return environment;
}

// For claims that take a large host: the largest of the lab's.
int host_cpus(const run::Facts& facts) {
  int most = 0;
  for (const auto& [node, known] : facts) {
    most = std::max(most, known.cpus);
  }
  return most;
}

Result<std::unique_ptr<store::RunDirectory>> new_directory(const Options& options, const Order& order, const run::Bench& bench,
                                                           const run::Plan& plan) {
  store::RunRecord record;
  record.lab = bench.standing.name;
  record.playbook = order.playbook.name;
  record.started = utc_now();
  record.command = command_line();
  record.seed = order.seed;
  record.profile = order.profile.name;
  record.warmup = order.profile.warmup;
  record.measure = order.profile.measure;
  record.repeats = order.profile.repeats;
  record.trials = static_cast<int>(plan.trials.size());
  record.until = order.until;
  record.only = order.only;
  record.cells = planned_cells(plan);
  record.lab_text = bench.standing.lab.source;
  record.playbook_text = order.playbook.source;
  record.environment = environment_of(bench, order, record);
  return store::RunDirectory::create(options.reports, std::move(record));
}

// Trials are found again by their place in the order, which hangs on the cells that run.
Result<std::unique_ptr<store::RunDirectory>> earlier_directory(const Order& order, const run::Bench& bench, const run::Plan& plan) {
  const store::RunRecord& record = order.earlier->record;
  if (record.lab != bench.standing.name || record.cells != planned_cells(plan)) {
    return Error{"this is not the lab that run " + record.name + " measured: other cells can run here",
                 "lab " + bench.standing.name,
                 "bring lab " + record.lab + " up as it was, or measure anew without --resume",
                 {},
                 Failure::usage};
  }
  return store::RunDirectory::reopen(order.resumed);
}

// Prints the list, also where no lab stands: then without what cannot run.
void list(Context& context, const Options& options, const run::Plan& plan, const std::string& note) {
  if (options.json) {
    context.out << plan_json(plan) << '\n';
    return;
  }
  context.out << plan_text(plan);
  if (!note.empty()) {
    context.out << note << '\n';
  }
}

class RunCommand {
 public:
  RunCommand(Context& context, const Options& options) : context_(context), options_(options) {}

  void operator()() {
    auto order = options_.resume.empty() ? new_order(options_) : resumed_order(options_);
    if (!order) {
      return context_.fail(order.error());
    }
    auto cells = run::cells_of(order->playbook, order->profile, order->only);
    if (!cells) {
      return context_.fail(cells.error());
    }
    const auto world = open_world(context_);
    if (!world) {
      return;
    }
    auto attached = orchestrator::attach(*world, options_.name, "lab run", context_.interrupt, Clock::now() + 30s);
    if (!attached) {
      return options_.list ? list_without_lab(*order, std::move(*cells)) : context_.fail(attached.error());
    }
    if (const Errors errors = config::check_against(order->playbook, attached->standing.lab); !errors.empty()) {
      return context_.fail(errors);
    }
    run::Bench bench{
        attached->standing, *attached->agents, *attached->cpus, context_.interrupt, run::monotonic_ns, run::sleep_until_ns, {}, {}};
    if (auto met = run::meet(bench); !met) {
      return context_.fail(met.error());
    }
    run::Plan plan = run::make_plan(std::move(*cells), order->playbook, order->profile, bench.standing, bench.facts, order->seed);
    plan.until = order->until;
    if (options_.list) {
      return list(context_, options_, plan, {});
    }
    measure(*order, bench, plan);
  }

 private:
  void list_without_lab(const Order& order, std::vector<run::Cell> cells) {
    run::Plan plan;
    plan.timing = {order.profile.warmup, order.profile.measure};
    plan.trials.resize(cells.size() * static_cast<std::size_t>(order.profile.repeats));
    plan.seed = order.seed;
    plan.cells = std::move(cells);
    list(context_, options_, plan, "no lab could be asked: some of these cells may be skipped on one (lab up)");
  }

  void measure(Order& order, run::Bench& bench, const run::Plan& plan) {
    if (!options_.web.empty()) {
      auto web =
          RunWeb::start(context_, options_.web, options_.open, begin_of(plan, bench.standing, order.playbook.name, order.profile.name));
      if (!web) {
        return context_.fail(web.error());
      }
      web_ = std::move(*web);
      for (const Trial& trial : order.earlier ? order.earlier->trials : std::vector<Trial>{}) {
        web_->finished(trial, trial.trial, static_cast<int>(plan.trials.size()));
      }
    }
    auto directory = order.earlier ? earlier_directory(order, bench, plan) : new_directory(options_, order, bench, plan);
    if (!directory) {
      return context_.fail(directory.error());
    }
    if (!context_.quiet) {
      context_.err << fmt::format("{} trials, about {}, into {}\n", plan.trials.size(),
                                  format_duration(std::chrono::round<std::chrono::seconds>(run::estimated_time(plan))),
                                  (*directory)->path().string());
    }
    run::Outcome outcome;
    const auto firewalls = run::read_firewalls(bench.agents, bench.standing);
    {
      RunProgress table(context_);
      EachProgress progress(web_ ? std::vector<run::Progress*>{&table, web_.get()} : std::vector<run::Progress*>{&table});
      outcome = run::measure(bench, plan, order.earlier ? std::move(order.earlier->trials) : std::vector<Trial>{}, **directory, progress);
    }
    const auto passed = run::firewalls_between(firewalls, run::read_firewalls(bench.agents, bench.standing));
    finish(order, bench, plan, outcome, passed, **directory);
  }

  void finish(const Order& order, const run::Bench& bench, const run::Plan& plan, const run::Outcome& outcome,
              const boost::json::array& firewalls, store::RunDirectory& directory) {
    const auto record = store::read_record(directory.path());
    if (!record) {
      return context_.fail(record.error());
    }
    Results results;
    results.cells = run::summarise(plan, outcome.trials, bench.standing, bench.facts);
    results.pairs = run::summarise_pairs(plan, outcome.trials);
    results.claims = stats::judge(order.playbook.claims, results.cells, results.pairs, outcome.trials, host_cpus(bench.facts));
    results.environment = environment_of(bench, order, *record);
    results.environment["finished"] = utc_now();
    if (!firewalls.empty()) {
      results.environment["firewalls"] = firewalls;
    }
    run::add_crypto_environment(results.environment, plan, outcome.trials, bench.facts);
    if (outcome.error) {
      context_.fail(*outcome.error);
    }
    if (auto written = directory.finish(results); !written) {
      return context_.fail(written.error());
    }
    const auto report = report::write_report(directory.path());
    update_index();
    print(results, directory, report ? report->string() : std::string());
    if (!report) {
      context_.fail(report.error());
    }
    conclude(results, outcome);
    if (web_) {
      web_->end(report ? *report : std::filesystem::path(), report ? std::string() : to_string(report.error()));
    }
  }

  void update_index() {
    auto index = store::Index::open(options_.reports);
    auto synced = index ? (*index)->sync() : Result<void>(index.error());
    if (!synced && !context_.quiet) {
      context_.err << "warning: " << to_string(synced.error()) << '\n';
    }
  }

  void print(const Results& results, const store::RunDirectory& directory, const std::string& report) {
    if (options_.json) {
      context_.out << store::to_json(results) << '\n';
      return;
    }
    if (!context_.quiet) {
      context_.out << summary_text(results);
    }
    context_.out << "run:    " << directory.path().string() << '\n';
    if (!report.empty()) {
      context_.out << "report: " << report << '\n';
    }
  }

  void conclude(const Results& results, const run::Outcome& outcome) {
    if (outcome.interrupted) {
      context_.err << "interrupted: what was measured is kept; go on with: lab run --resume latest\n";
      context_.exit_code = static_cast<int>(Failure::interrupted);
      return;
    }
    const auto failed =
        std::count_if(outcome.trials.begin(), outcome.trials.end(), [](const Trial& trial) { return !trial.failed.empty(); });
    if (failed > 0) {
      return context_.fail(Error{fmt::format("{} of {} trials failed", failed, outcome.trials.size()),
                                 {},
                                 "their reasons are above, and in the run's logs folder",
                                 {}});
    }
    const auto missed =
        std::count_if(results.claims.begin(), results.claims.end(), [](const ClaimResult& claim) { return claim.verdict == "differs"; });
    if (options_.fail_if_claims && missed > 0 && context_.exit_code == 0) {
      context_.fail(Error{fmt::format("{} of {} claims differ", missed, results.claims.size()), {}, {}, {}, Failure::missed});
    }
  }

  Context& context_;
  const Options& options_;
  std::unique_ptr<RunWeb> web_;
};

}  // namespace

void add_run(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("run", "measures a playbook on a standing lab");
  command->add_option("PLAYBOOK", options->playbook, "a file, or a built-in one: webseal-2007 unless given");
  command->add_option("--profile", options->profile,
                      "how long and how often: quick unless given; the built-in playbook has quick, standard, paper");
  command->add_option("--only", options->only, "only cells whose id matches; * also matches /")->type_name("GLOB");
  command->add_option("--repeats", options->repeats, "passes over all cells; the profile's unless given")->check(whole(1, 10000));
  command
      ->add_option("--until", options->until,
                   "after the repeats go on until each interval reaches no further than this, at most 5 times as long")
      ->type_name("'interval<2%'");
  command->add_option("--seed", options->seed, "of the random order")->check(whole(0, kMostCounted));
  auto* resume = command->add_option("--resume", options->resume, "go on with a run that was cut off")->type_name("RUN");
  command->add_flag("--list", options->list, "only list cells and the time that they take");
  command->add_flag("--fail-if-claims", options->fail_if_claims, "exit with 3 when a claim differs");
  command->add_option("--name", options->name, "the lab; the only standing one unless given");
  command->add_option("-o", options->reports, "the folder of runs: reports unless given")->type_name("DIR");
  command->add_flag("--json", options->json, "print results.json at the end");
  auto* web =
      command->add_option("--web", options->web, "serve the run as it goes, then its report; 127.0.0.1:0 for a free port of loopback")
          ->type_name("ADDR")
          ->check(listening_address());
  command->add_flag("--open", options->open, "show the live view in the desktop's browser")->needs(web);
  for (const char* other : {"PLAYBOOK", "--profile", "--only", "--repeats", "--until", "--seed"}) {
    resume->excludes(command->get_option(other));
  }
  command->callback([options, &context] { RunCommand(context, *options)(); });
}

}  // namespace lab::cli
