// request.log, agent.log and referer.log, off the request path: threads format lines into buffers, one other thread writes them.
#pragma once

#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace lab::gateway {

enum class LogFile { request, agent, referer };
inline constexpr std::size_t kLogFiles = 3;

// Writes blocks of whole lines in the order they come. Bounded: what does not fit is lost and counted, nobody waits. A file that has
// reached its size is renamed to "request.log.2026-01-31-23-59-59" and begun anew.
class LogWriter {
 public:
  // Opens (appends to) the files named; /dev/null is a file like others. `report` is told when writing begins to
  // fail, once until it succeeds again.
  static Result<std::unique_ptr<LogWriter>> open(const GatewayLogs& files, std::function<void(const Error&)> report);
  ~LogWriter();  // writes what is there

  bool writes(LogFile file) const { return !names_[static_cast<std::size_t>(file)].empty(); }
  void write(LogFile file, std::string text, std::uint64_t lines);  // from any thread
  bool wait_until_written(std::chrono::steady_clock::time_point deadline);

  std::uint64_t lines_written() const;  // of request.log
  std::uint64_t errors() const;         // lines lost, of all files

 private:
  struct Block {
    LogFile file;
    std::string text;
    std::uint64_t lines;
  };
  explicit LogWriter(std::function<void(const Error&)> report);
  void run();
  void store(const Block& block, std::unique_lock<std::mutex>& lock);
  void rotate_when_full(std::size_t index);
  void tell(const Error& error);

  std::array<net::Fd, kLogFiles> files_;
  std::array<std::string, kLogFiles> names_;  // empty: not written
  std::uint64_t max_size_ = 0;
  std::function<void(const Error&)> report_;
  bool reported_ = false;

  mutable std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::deque<Block> queue_;
  std::size_t queued_bytes_ = 0;
  bool writing_ = false, stopping_ = false;
  std::uint64_t lines_written_ = 0, errors_ = 0;
  std::thread thread_;
};

struct LogEntry {
  std::string_view client_host, user;  // user: empty: "-"
  std::string_view request_line;       // as sent, without its CRLF
  std::string_view agent, referer;     // header values; empty: "-"
  int status = 0;
  std::uint64_t bytes = 0;  // of the body, as the client gets it
  net::Nanos total_ns = 0, backend_ns = 0;
  std::string_view junction;  // empty: "-"
};

// One thread's buffers. Lines are handed over when there are 64 KiB of them, and as long after the first as the settings say at the latest.
class ThreadLog {
 public:
  ThreadLog(net::Loop& loop, LogWriter& writer, const GatewayLogs& settings);
  void add(const LogEntry& entry);  // a line to each file that is written
  void hand_over();
  bool wants(LogFile file) const { return writer_.writes(file); }
  bool wants_times() const { return wants(LogFile::request) && (settings_.total_time || settings_.backend_time); }

 private:
  struct Pending {
    std::string text;
    std::uint64_t lines = 0;
  };
  void add_request(std::string& out, const LogEntry& entry);
  std::string_view timestamp();
  Pending& pending(LogFile file) { return pending_[static_cast<std::size_t>(file)]; }
  void ended_line(LogFile file);

  LogWriter& writer_;
  GatewayLogs settings_;
  net::Timer timer_;
  std::array<Pending, kLogFiles> pending_;
  std::int64_t second_ = -1;
  std::string timestamp_;  // "04/Jan/2009:11:13:07 +1000", of that second
};

}  // namespace lab::gateway
