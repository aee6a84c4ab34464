// `lab run --web`: the live view of the run, and afterwards its report.
#pragma once

#include "command.hpp"
#include "live/server.hpp"
#include "run/measure.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lab::cli {

class RunWeb final : public run::Progress {
 public:
  // Serves and prints the address; `open`: also shows it. Errors: no such address, or it is taken.
  static Result<std::unique_ptr<RunWeb>> start(Context& context, const std::string& address, bool open, live::Begin begin);

  ~RunWeb() override;  // without end(): readers are told that the run failed
  RunWeb(const RunWeb&) = delete;
  RunWeb& operator=(const RunWeb&) = delete;

  void starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) override;
  void finished(const Trial& trial, int number, int total) override;
  void sampled(const run::LiveSample& sample) override;
  void log(std::string line) { server_->tell(live::Logged{std::move(line)}); }

  // The run is over: the view becomes the report. Where somebody sits in front of it (standard input is a terminal), it is served until
  // Ctrl-C; otherwise until those who followed the run have it, ten seconds at most. An empty path: no report, and why.
  void end(const std::filesystem::path& report, const std::string& why);

 private:
  RunWeb(Context& context, std::unique_ptr<live::Server> server) : context_(context), server_(std::move(server)) {}

  Context& context_;
  std::unique_ptr<live::Server> server_;
  bool ended_ = false;
  const Deadline begun_ = Clock::now();
};

// Takes what live::parse_address takes.
CLI::Validator listening_address();

// What the view says of a run from its begin on.
live::Begin begin_of(const run::Plan& plan, const Standing& standing, const std::string& playbook, const std::string& profile);

}  // namespace lab::cli
