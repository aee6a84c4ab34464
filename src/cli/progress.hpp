// Progress of up and down: a live table on a terminal, plain lines elsewhere, nothing with --quiet.
#pragma once

#include "command.hpp"

#include "lab/units.hpp"
#include "orchestrator/world.hpp"

#include <map>
#include <string>
#include <vector>

namespace lab::cli {

std::string seconds(std::chrono::nanoseconds duration);  // "1.3 s"

class LiveProgress {
 public:
  // A line a node, in this order; nodes that come up later get theirs below.
  LiveProgress(Context& context, const std::vector<std::string>& nodes);

  void tell(const orchestrator::Progress& progress);
  // "node 0.6 s · agent 1.8 s": the slowest node of each step, in order of their first start.
  std::string summary() const;
  std::chrono::nanoseconds elapsed() const { return Clock::now() - begun_; }

 private:
  struct Row {
    std::string node;
    std::vector<std::string> steps;  // with what became of them
  };
  struct Step {
    std::string name;
    std::chrono::nanoseconds slowest{0};
  };

  Row& row_of(const std::string& node);
  Step& step_of(const std::string& name);
  void draw();
  void print_line(const orchestrator::Progress& progress, std::chrono::nanoseconds took);

  Context& context_;
  const Deadline begun_ = Clock::now();
  std::vector<Row> rows_;
  std::vector<Step> steps_;
  std::map<std::pair<std::string, std::string>, Deadline> started_;  // node and step
  std::size_t drawn_ = 0;                                            // lines on the terminal
};

}  // namespace lab::cli
