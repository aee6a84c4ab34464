#include "run_web.hpp"

#include "open.hpp"
#include "run_progress.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>
#include <fstream>
#include <iterator>

namespace lab::cli {

namespace {

constexpr std::chrono::seconds kFetch{10};  // for browsers to get the report
constexpr std::chrono::seconds kTell{2};    // to be told that there is none

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

live::Begin begin_of(const run::Plan& plan, const Standing& standing, const std::string& playbook, const std::string& profile) {
  live::Begin begin{standing.name, playbook, profile, {}, {}, static_cast<int>(plan.trials.size())};
  for (const run::Cell& cell : plan.cells) {
    if (!plan.skipped.contains(cell.id)) {
      begin.cells.push_back(cell.id);
    }
  }
  for (const StandingNode& node : standing.nodes) {
    begin.nodes.push_back(node.name);
  }
  return begin;
}

CLI::Validator listening_address() {
  return {[](std::string& text) {
            const auto address = live::parse_address(text);
            return address ? std::string() : address.error().what + "; " + address.error().remedy;
          },
          ""};
}

Result<std::unique_ptr<RunWeb>> RunWeb::start(Context& context, const std::string& address, bool open, live::Begin begin) {
  const auto parsed = live::parse_address(address);
  if (!parsed) {
    return parsed.error();
  }
  auto server = live::Server::start(*parsed, std::move(begin));
  if (!server) {
    return server.error();
  }
  context.err << "live view: " << (*server)->url() << '\n';
  if (!parsed->loopback) {
    context.err << "warning: whoever reaches this address can read the run\n";
  }
  if (open) {
    if (const auto opened = open_in_browser((*server)->url(), "open the address in a browser"); !opened) {
      context.err << "warning: " << to_string(opened.error()) << '\n';
    }
  }
  return std::unique_ptr<RunWeb>(new RunWeb(context, std::move(*server)));
}

RunWeb::~RunWeb() {
  if (!ended_) {
    server_->end({}, "the run failed; its terminal says why");
    (void)server_->fetched(kTell);
  }
}

void RunWeb::starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) {
  server_->tell(live::Starting{number, total, trial.sides, std::chrono::duration<double>(left).count()});
}

void RunWeb::finished(const Trial& trial, int number, int total) {
  server_->tell(live::finished(trial, number, total));
  log(fmt::format("{}/{}  {}", number, total, describe(trial)));
  for (const std::string& note : trial.notes) {
    log("    " + note);
  }
}

void RunWeb::sampled(const run::LiveSample& sample) {
  server_->tell(live::Sampled{sample.node, std::chrono::duration<double>(Clock::now() - begun_).count(), sample.cpus});
}

void RunWeb::end(const std::filesystem::path& report, const std::string& why) {
  ended_ = true;
  server_->end(report.empty() ? std::string() : text_of(report), why);
  const bool interrupted = context_.interrupt.requested();
  if (!report.empty() && !interrupted && isatty(STDIN_FILENO) != 0) {
    context_.err << "the report is at " << server_->url() << " until Ctrl-C\n";
    pollfd waiting{context_.interrupt.fd(), POLLIN, 0};
    while (!context_.interrupt.requested()) {
      poll(&waiting, 1, -1);
    }
    return;
  }
  (void)server_->fetched(kFetch);  // a browser that is gone gets nothing
}

}  // namespace lab::cli
