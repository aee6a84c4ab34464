// The live table of a run on a terminal, drawn by a thread of its own: at every change, when the window's size changes, and each second
// for the time left.
#pragma once

#include "lab/units.hpp"
#include "live_block.hpp"
#include "run_table.hpp"

#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace lab::cli {

class LiveTable {
 public:
  LiveTable(std::ostream& out, int fd, Deadline (*now)());
  ~LiveTable();  // takes the table away
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;

  // From any thread; the table's own thread does it.
  void change(std::function<void(RunView&)> how);
  void print(std::string line);  // above the table, for good

 private:
  using Message = std::variant<std::function<void(RunView&)>, std::string>;

  void post(Message message);
  void serve();
  bool take();  // false: it is to end

  std::ostream& out_;
  const int fd_;
  Deadline (*const now_)();
  net::Fd wake_;
  Resizes resizes_;

  std::mutex mutex_;
  std::vector<Message> messages_;  // guarded
  bool end_ = false;               // guarded

  LiveBlock block_;  // these are the thread's
  RunView view_;
  Deadline counted_{};  // until when time has been taken from what is left
  std::thread thread_;
};

}  // namespace lab::cli
