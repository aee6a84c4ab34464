// The table that `lab run` shows while it goes on, as lines of text.
#pragma once

#include "lab/results.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace lab::cli {

struct TerminalSize {
  int columns = 80, rows = 24;
};

// What has been heard of a run so far.
class RunView {
 public:
  void starting(const std::vector<std::string>& cells, int number, int total, std::chrono::nanoseconds left);
  void finished(const Trial& trial, int number, int total);
  void sampled(const std::string& node, double cpus);
  void pass(std::chrono::nanoseconds time);  // takes it from what is left

  // Progress; what is measured; the last cells with rate and p99; CPU of each node, now in host CPUs and in the last trial as a share of
  // its allotment. No line is longer than the columns; where rows are too few, the oldest cells go first, then nodes.
  std::vector<std::string> lines(TerminalSize size) const;

 private:
  struct Row {
    std::string cell, rate, p99;
    bool flagged = false;
  };
  struct Node {
    std::string name;
    std::optional<double> cpus, share;
  };

  Node& node(const std::string& name);
  std::vector<std::string> head(int columns) const;
  std::vector<std::string> cells(int columns, int rows) const;
  std::vector<std::string> nodes(int columns, int rows) const;

  int done_ = 0, total_ = 0;
  std::chrono::nanoseconds left_{0};
  std::vector<std::string> current_;
  std::deque<Row> finished_;  // the newest first
  std::vector<Node> nodes_;
};

// Columns that a text takes: characters, each one column; control characters, which would take none, become '?'.
std::string printable(const std::string& text);
int width_of(const std::string& text);
// At most `columns` wide: what is too long loses its middle, since a cell's id differs at its ends.
std::string fit(const std::string& text, int columns);

}  // namespace lab::cli
