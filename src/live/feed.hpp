// What the live view tells of a run: the events of it, and all of them so far for a reader that comes later. No I/O.
#pragma once

#include "lab/results.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace lab::live {

struct Begin {
  std::string lab, playbook, profile;
  std::vector<std::string> cells, nodes;  // ids of those that run; names in the lab's order
  int trials = 0;                         // in all, as far as is known
};

struct Starting {
  int number = 0, total = 0;
  std::vector<std::string> cells;  // one, or the two sides of a pair
  double left_s = 0;               // until the run's end
};

struct Finished {
  struct Side {
    std::string cell;
    double pages_per_s = 0, service_us_p99 = 0;
    std::map<std::string, double> cpu;  // by node: share of its allotment
  };
  int number = 0, total = 0;
  std::vector<Side> sides;
  std::vector<std::string> flags;
  std::string failed;  // why; else empty
};

struct Sampled {
  std::string node;
  double at_s = 0;  // since the view began
  double cpus = 0;  // host CPUs in use
};

struct Logged {
  std::string line;
};

struct Ended {
  bool report = false;  // it can be fetched now
  std::string why;      // where there is none
};

using Event = std::variant<Starting, Finished, Sampled, Logged, Ended>;

Finished finished(const Trial& trial, int number, int total);

class Feed {
 public:
  static constexpr std::size_t kSides = 4000, kSamples = 300, kLines = 200, kNodes = 256, kLineBytes = 1000;  // what is kept at most

  explicit Feed(Begin begin) : begin_(std::move(begin)) {}

  // Takes it in; returns it as readers get it: "event: finished\ndata: {…}\n\n" (HTML Living Standard, 9.2.5).
  std::string take(Event event);
  // Begin, and everything kept since: {"lab", "playbook", "profile", "cells", "nodes", "trials", "current", "finished",
  // "samples", "log", "ended"}; `current` and `ended` are null where there is none. `finished` and `log` are those of the events.
  boost::json::object state() const;
  // The same as a reader's first event, "state".
  std::string opening() const;

 private:
  boost::json::object take(Starting& event);
  boost::json::object take(Finished& event);
  boost::json::object take(Sampled& event);
  boost::json::object take(Logged& event);
  boost::json::object take(Ended& event);

  Begin begin_;
  boost::json::object current_, ended_;  // empty: none
  std::deque<boost::json::object> finished_;
  std::size_t sides_ = 0;                                             // in finished_
  std::map<std::string, std::deque<std::pair<double, double>>> cpu_;  // by node: when, host CPUs
  std::deque<std::string> log_;
};

}  // namespace lab::live
