#include "run_table.hpp"

#include "lab/units.hpp"
#include "run_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lab::cli {

namespace {

constexpr int kBar = 20, kShareBar = 10;
constexpr std::size_t kKept = 12;  // finished cells
constexpr int kRateWidth = 10, kTimeWidth = 9;

std::string bar(double share, int width) {
  const int full = std::clamp(static_cast<int>(share * width + 1e-9), 0, width);
  return std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(width - full), '-');
}

std::string padded(const std::string& text, int columns) {
  return text + std::string(static_cast<std::size_t>(std::max(0, columns - width_of(text))), ' ');
}

std::string right(const std::string& text, int columns) {
  return std::string(static_cast<std::size_t>(std::max(0, columns - width_of(text))), ' ') + text;
}

std::string time_text(double us) { return us > 0 ? format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(us * 1e3))) : "-"; }

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The first or last `count` characters.
std::string first(const std::string& text, int count) {
  std::size_t at = 0;
  for (; at < text.size() && (continues(text[at]) || count-- > 0); ++at) {
  }
  return text.substr(0, at);
}

std::string last(const std::string& text, int count) {
  std::size_t at = text.size();
  while (at > 0 && count > 0) {
    --at;
    count -= continues(text[at]) ? 0 : 1;
  }
  return text.substr(at);
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out = text;
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return out;
}

int width_of(const std::string& text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string fit(const std::string& text, int columns) {
  std::string shown = printable(text);
  if (width_of(shown) <= columns) {
    return shown;
  }
  if (columns <= 1) {
    return first(shown, std::max(0, columns));
  }
  const int begin = (columns - 1) / 3;
  return first(shown, begin) + "…" + last(shown, columns - 1 - begin);
}

RunView::Node& RunView::node(const std::string& name) {
  const auto at = std::ranges::find(nodes_, name, &Node::name);
  return at == nodes_.end() ? nodes_.emplace_back(Node{name, {}, {}}) : *at;
}

void RunView::starting(const std::vector<std::string>& cells, int number, int total, std::chrono::nanoseconds left) {
  current_ = cells;
  done_ = number - 1;
  total_ = total;
  left_ = left;
}

void RunView::finished(const Trial& trial, int number, int total) {
  current_.clear();
  done_ = number;
  total_ = total;
  const bool failed = !trial.failed.empty();
  std::vector<Row> rows;
  for (const Side& side : trial.sides) {
    rows.push_back(
        {side.cell, failed ? "failed" : rate_text(side.pages_per_s), failed ? "" : time_text(side.service_us_p99), !trial.flags.empty()});
    for (const auto& [name, share] : side.cpu) {
      node(name).share = share;
    }
  }
  finished_.insert(finished_.begin(), rows.begin(), rows.end());
  if (finished_.size() > kKept) {
    finished_.resize(kKept);
  }
}

void RunView::sampled(const std::string& name, double cpus) { node(name).cpus = cpus; }

void RunView::pass(std::chrono::nanoseconds time) { left_ = std::max(left_ - time, std::chrono::nanoseconds(0)); }

std::vector<std::string> RunView::head(int columns) const {
  const double share = total_ == 0 ? 0 : static_cast<double>(done_) / total_;
  const std::string counted = fmt::format("{}/{} trials", done_, total_);
  const std::string left = left_.count() > 0 ? "  " + format_duration(std::chrono::round<std::chrono::seconds>(left_)) + " left" : "";
  std::vector<std::string> out{columns >= 60 ? "[" + bar(share, kBar) + "] " + counted + left : counted + left};
  for (std::size_t i = 0; i < 2; ++i) {  // one line or two, so that the table does not jump: always two
    const std::string what = i < current_.size() ? current_[i] : "";
    out.push_back(what.empty() ? "" : (i == 0 ? "now      " : "against  ") + fit(what, columns - 9));
  }
  return out;
}

std::vector<std::string> RunView::cells(int columns, int rows) const {
  if (finished_.empty() || rows < 2) {
    return {};
  }
  const int widest = columns - kRateWidth - kTimeWidth - 2;
  int width = width_of("last finished");
  for (const Row& row : finished_) {
    width = std::max(width, width_of(printable(row.cell)));
  }
  width = std::max(1, std::min(width, widest));
  std::vector<std::string> out{padded(fit("last finished", width), width) + right("pages/s", kRateWidth) + right("p99", kTimeWidth)};
  for (const Row& row : finished_) {
    if (static_cast<int>(out.size()) < rows) {
      out.push_back(padded(fit(row.cell, width), width) + right(row.rate, kRateWidth) + right(row.p99, kTimeWidth) +
                    (row.flagged ? " *" : ""));
    }
  }
  return out;
}

std::vector<std::string> RunView::nodes(int columns, int rows) const {
  if (nodes_.empty() || rows < 2) {
    return {};
  }
  int width = width_of("node");
  for (const Node& each : nodes_) {
    width = std::max(width, width_of(printable(each.name)));
  }
  width = std::min(width, std::max(1, columns - 24));
  std::vector<std::string> out{padded("node", width) + right("CPUs now", 10) + right("last trial", 12)};
  for (const Node& each : nodes_) {
    if (static_cast<int>(out.size()) < rows) {
      out.push_back(padded(fit(each.name, width), width) + right(each.cpus ? fmt::format("{:.2f}", *each.cpus) : "-", 10) +
                    right(each.share ? fmt::format("{:.0f}%", *each.share * 100) : "-", 12) +
                    (each.share && columns >= 60 ? "  " + bar(*each.share, kShareBar) : ""));
    }
  }
  return out;
}

std::vector<std::string> RunView::lines(TerminalSize size) const {
  std::vector<std::string> out = head(size.columns);
  const auto add = [&](std::vector<std::string> part) {
    if (!part.empty()) {
      out.emplace_back();
      out.insert(out.end(), part.begin(), part.end());
    }
  };
  const int room = size.rows - static_cast<int>(out.size());
  const int for_nodes = nodes_.empty() ? 0 : std::min(static_cast<int>(nodes_.size()) + 2, room);
  const int for_cells = room - for_nodes - 1;
  constexpr int kLeastCells = 4;  // a head line and a pair's two, or a little more
  add(cells(size.columns, std::max(for_cells, std::min(kLeastCells, room - 1))));
  add(nodes(size.columns, size.rows - static_cast<int>(out.size()) - 1));
  out.resize(std::min(out.size(), static_cast<std::size_t>(std::max(0, size.rows))));
  for (std::string& line : out) {
    line.erase(line.find_last_not_of(' ') + 1);
    line = first(line, size.columns);
  }
  return out;
}

}  // namespace lab::cli
