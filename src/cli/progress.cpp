#include "progress.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace lab::cli {

using Kind = orchestrator::Progress::Kind;

std::string seconds(std::chrono::nanoseconds duration) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << std::chrono::duration<double>(duration).count() << " s";
  return text.str();
}

LiveProgress::LiveProgress(Context& context, const std::vector<std::string>& nodes) : context_(context) {
  for (const std::string& node : nodes) {
    rows_.push_back({node, {}});
  }
}

LiveProgress::Row& LiveProgress::row_of(const std::string& node) {
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.node == node; });
  return at == rows_.end() ? rows_.emplace_back(Row{node, {}}) : *at;
}

LiveProgress::Step& LiveProgress::step_of(const std::string& name) {
  const auto at = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.name == name; });
  return at == steps_.end() ? steps_.emplace_back(Step{name, {}}) : *at;
}

void LiveProgress::tell(const orchestrator::Progress& progress) {
  const auto key = std::pair(progress.node, progress.step);
  const auto start = started_.find(key);
  const auto took = start == started_.end() ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds(Clock::now() - start->second);
  Step& step = step_of(progress.step);
  std::vector<std::string>& shown = row_of(progress.node).steps;
  if (progress.kind == Kind::started) {
    started_[key] = Clock::now();
    shown.push_back(progress.step + " …");
  } else {
    step.slowest = std::max(step.slowest, took);
    const std::string mark = progress.step + (progress.kind == Kind::done ? " ✓" : " ✗");
    const auto open = std::find(shown.begin(), shown.end(), progress.step + " …");
    if (open == shown.end()) {
      shown.push_back(mark);
    } else {
      *open = mark;
    }
  }
  if (context_.quiet) {
    return;
  }
  if (context_.terminal) {
    draw();
  } else if (progress.kind != Kind::started) {
    print_line(progress, took);
  }
}

void LiveProgress::draw() {
  std::size_t width = 3;
  for (const Row& row : rows_) {
    width = std::max(width, row.node.size());
  }
  std::ostringstream text;
  if (drawn_ > 0) {
    text << "\033[" << drawn_ << "A";
  }
  for (const Row& row : rows_) {
    text << "\r\033[K" << std::left << std::setw(static_cast<int>(width) + 2) << (row.node.empty() ? "lab" : row.node);
    for (const std::string& step : row.steps) {
      text << step << "  ";
    }
    text << "\n";
  }
  drawn_ = rows_.size();
  context_.err << text.str() << std::flush;
}

void LiveProgress::print_line(const orchestrator::Progress& progress, std::chrono::nanoseconds took) {
  context_.err << (progress.node.empty() ? "lab" : progress.node) << ": " << progress.step
               << (progress.kind == Kind::failed ? " failed" : "") << " (" << seconds(took) << ")" << std::endl;
}

std::string LiveProgress::summary() const {
  constexpr auto kWorthTelling = std::chrono::milliseconds(50);
  std::string text;
  for (const Step& step : steps_) {
    if (step.slowest < kWorthTelling) {
      continue;
    }
    text += (text.empty() ? "" : " · ") + step.name + " " + seconds(step.slowest);
  }
  return text;
}

}  // namespace lab::cli
