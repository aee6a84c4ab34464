#include "commands.hpp"
#include "labs.hpp"

#include "config/config.hpp"
#include "orchestrator/attach.hpp"
#include "orchestrator/down.hpp"
#include "orchestrator/up.hpp"
#include "run/selftest.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>

namespace lab::cli {

namespace {

using namespace std::chrono_literals;
using run::SelfCheck;

constexpr const char* kName = "selftest";  // of its lab

struct Options {
  std::vector<std::string> only;
  bool json = false;
};

const char* word_of(SelfCheck::Outcome outcome) {
  switch (outcome) {
    case SelfCheck::Outcome::held: return "held";
    case SelfCheck::Outcome::missed: return "MISSED";
    case SelfCheck::Outcome::skipped: return "skipped";
    case SelfCheck::Outcome::failed: return "FAILED";
  }
  return "";
}

std::string text_of(const SelfCheck& check) {
  const bool made = check.outcome == SelfCheck::Outcome::held || check.outcome == SelfCheck::Outcome::missed;
  return fmt::format("{:<15} {:<8} {}\n{:<24} expected {}{}\n", check.name, word_of(check.outcome), check.what, "",
                     made ? check.expected + ", found " + check.found : check.expected,
                     check.reason.empty() ? std::string() : "\n" + std::string(24, ' ') + " " + check.reason);
}

boost::json::object to_json(const SelfCheck& check) {
  std::string outcome = word_of(check.outcome);
  std::transform(outcome.begin(), outcome.end(), outcome.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {{"check", check.name},  {"what", check.what}, {"expected", check.expected},
          {"found", check.found}, {"outcome", outcome}, {"reason", check.reason}};
}

class SelfTest {
 public:
  SelfTest(Context& context, const Options& options) : context_(context), options_(options) {}

  void operator()() {
    const auto world = open_world(context_);
    if (!world) {
      return;
    }
    const auto lab = config::parse_lab(run::kSelfTestLab, "selftest.yaml");
    if (!lab) {
      return context_.fail(lab.error());
    }
    if (!context_.quiet) {
      context_.err
          << "known effects are put into a small lab of processes here and measured: a minute and a half, on an otherwise idle host\n";
    }
    const Interrupt uninterrupted;  // what stands is taken down in any case
    const auto ignore = [](const orchestrator::Progress&) {};
    const auto raised = orchestrator::up(*world, *lab, kName, {context_.interrupt, ignore, tell_waiting(context_), Clock::now() + 60s});
    if (raised) {
      measure(*world);
    } else {
      context_.fail(raised.error());
    }
    const auto taken = orchestrator::down(*world, kName, {uninterrupted, ignore, tell_waiting(context_), Clock::now() + 30s});
    if (!taken) {
      context_.fail(taken.error());
    } else if (raised) {
      conclude();
    }
  }

 private:
  void measure(const orchestrator::World& world) {
    auto attached = orchestrator::attach(world, kName, "lab selftest", context_.interrupt, Clock::now() + 30s);
    if (!attached) {
      return context_.fail(attached.error());
    }
    run::Bench bench{
        attached->standing, *attached->agents, *attached->cpus, context_.interrupt, run::monotonic_ns, run::sleep_until_ns, {}, {}};
    if (auto met = run::meet(bench); !met) {
      return context_.fail(met.error());
    }
    for (const std::string& name : options_.only.empty() ? run::self_check_names() : options_.only) {
      if (context_.interrupt.requested()) {
        return context_.fail(run::interrupted());
      }
      checks_.push_back(run::self_check(bench, name));
      if (!options_.json) {
        context_.out << text_of(checks_.back()) << std::flush;
      }
    }
  }

  void conclude() {
    const auto count = [&](SelfCheck::Outcome outcome) {
      return std::count_if(checks_.begin(), checks_.end(), [&](const SelfCheck& check) { return check.outcome == outcome; });
    };
    const auto held = count(SelfCheck::Outcome::held), skipped = count(SelfCheck::Outcome::skipped);
    const auto all = static_cast<std::ptrdiff_t>(checks_.size());
    if (options_.json) {
      boost::json::array checks;
      for (const SelfCheck& check : checks_) {
        checks.push_back(to_json(check));
      }
      context_.out << boost::json::object{{"schema", 1}, {"checks", std::move(checks)}} << '\n';
    }
    if (context_.exit_code != 0) {
      return;
    }
    if (held + skipped == all) {
      if (!options_.json) {
        context_.out << fmt::format("{} of {} held{}\n", held, all, skipped > 0 ? fmt::format(", {} skipped", skipped) : "");
      }
      return;
    }
    context_.fail(Error{fmt::format("{} of {} known effects were not measured as they are", all - held - skipped, all),
                        {},
                        "is the host busy? measure nothing here that is smaller than what was missed (lab doctor)",
                        {},
                        count(SelfCheck::Outcome::failed) > 0 ? Failure::failed : Failure::missed});
  }

  Context& context_;
  const Options& options_;
  std::vector<SelfCheck> checks_;
};

}  // namespace

void add_selftest(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("selftest", "known effects, measured: can this host be believed?");
  command->add_option("--only", options->only, "only these checks")->check(CLI::IsMember(run::self_check_names()));
  command->add_flag("--json", options->json, "print expected and found as JSON");
  command->callback([options, &context] { SelfTest(context, *options)(); });
}

}  // namespace lab::cli
