#include "roles/gateway/request_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxQueued = 16 * 1024 * 1024;  // bytes waiting for the disk
constexpr std::size_t kHandOver = 64 * 1024;

// What could break a line or its quotes is written as \xHH.
void append_escaped(std::string& out, std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out += "\\x";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    } else {
      out += c;
    }
  }
}

net::Fd open_to_append(const std::string& name) { return net::Fd(::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)); }

// With the local time, and a number where several fall into one second.
std::string rotated_name(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::string stamped = name + "." + std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d-%H-%M-%S", &local));
  std::string free = stamped;
  for (int i = 1; access(free.c_str(), F_OK) == 0; ++i) {
    free = stamped + "-" + std::to_string(i);
  }
  return free;
}

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

LogWriter::LogWriter(std::function<void(const Error&)> report) : report_(std::move(report)) {}

Result<std::unique_ptr<LogWriter>> LogWriter::open(const GatewayLogs& files, std::function<void(const Error&)> report) {
  std::unique_ptr<LogWriter> writer(new LogWriter(std::move(report)));
  writer->names_ = {files.request, files.agent, files.referer};
  writer->max_size_ = files.max_size;
  for (std::size_t i = 0; i < kLogFiles; ++i) {
    const std::string& name = writer->names_[i];
    if (name.empty()) {
      continue;
    }
    writer->files_[i] = open_to_append(name);
    if (!writer->files_[i]) {
      return system_error("cannot open the log " + name, errno, "name a file in a folder that exists and can be written");
    }
  }
  writer->thread_ = std::thread([raw = writer.get()] { raw->run(); });
  return writer;
}

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void LogWriter::write(LogFile file, std::string text, std::uint64_t lines) {
  {
    const std::lock_guard lock(mutex_);
    if (queued_bytes_ + text.size() > kMaxQueued) {
      errors_ += lines;
      return;
    }
    queued_bytes_ += text.size();
    queue_.push_back({file, std::move(text), lines});
  }
  work_.notify_one();
}

bool LogWriter::wait_until_written(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return idle_.wait_until(lock, deadline, [this] { return queue_.empty() && !writing_; });
}

std::uint64_t LogWriter::lines_written() const {
  const std::lock_guard lock(mutex_);
  return lines_written_;
}

std::uint64_t LogWriter::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void LogWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) {
      return;
    }
    const Block block = std::move(queue_.front());
    queue_.pop_front();
    queued_bytes_ -= block.text.size();
    writing_ = true;
    store(block, lock);
    writing_ = false;
    if (queue_.empty()) {
      idle_.notify_all();
    }
  }
}

// Unlocked while it writes. After a failure the rest of the block is lost; the next block is tried again.
void LogWriter::store(const Block& block, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const auto index = static_cast<std::size_t>(block.file);
  std::size_t done = 0;
  int error = 0;
  while (done < block.text.size() && error == 0) {
    const ssize_t wrote = ::write(files_[index].get(), block.text.data() + done, block.text.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  std::uint64_t written = block.lines;
  if (error != 0) {
    written = 0;
    for (const char c : std::string_view{block.text}.substr(0, done)) {
      written += c == '\n' ? 1 : 0;
    }
    tell(system_error("cannot write the log " + names_[index], error, "make room; lines are lost until then, requests are served"));
  } else {
    reported_ = false;
    rotate_when_full(index);
  }
  lock.lock();
  lines_written_ += block.file == LogFile::request ? written : 0;
  errors_ += block.lines - written;
}

void LogWriter::tell(const Error& error) {
  if (!std::exchange(reported_, true)) {
    report_(error);
  }
}

// Only regular files: /dev/null has no size. Where it cannot be renamed it grows on.
void LogWriter::rotate_when_full(std::size_t index) {
  struct stat facts {};
  if (max_size_ == 0 || fstat(files_[index].get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      static_cast<std::uint64_t>(facts.st_size) < max_size_) {
    return;
  }
  const std::string& name = names_[index];
  if (std::rename(name.c_str(), rotated_name(name).c_str()) != 0) {
    return tell(system_error("cannot rename the log " + name, errno, "see whether its folder may be written; the log goes on growing"));
  }
  if (net::Fd fresh = open_to_append(name)) {
    files_[index] = std::move(fresh);
  } else {
    tell(system_error("cannot open the log " + name, errno, "see whether its folder may be written; the renamed log is written on"));
  }
}

ThreadLog::ThreadLog(net::Loop& loop, LogWriter& writer, const GatewayLogs& settings)
    : writer_(writer), settings_(settings), timer_(loop, [this] { hand_over(); }) {}

void ThreadLog::add(const LogEntry& entry) {
  if (wants(LogFile::request)) {
    add_request(pending(LogFile::request).text, entry);
    ended_line(LogFile::request);
  }
  if (wants(LogFile::agent)) {
    append_escaped(pending(LogFile::agent).text, entry.agent.empty() ? "-" : entry.agent);
    ended_line(LogFile::agent);
  }
  if (wants(LogFile::referer)) {
    append_escaped(pending(LogFile::referer).text, entry.referer.empty() ? "-" : entry.referer);
    ended_line(LogFile::referer);
  }
}

void ThreadLog::ended_line(LogFile file) {
  Pending& lines = pending(file);
  lines.text += '\n';
  ++lines.lines;
  if (lines.text.size() >= kHandOver) {
    hand_over();
  } else if (!timer_.armed()) {
    timer_.arm(std::chrono::nanoseconds(settings_.flush).count());
  }
}

void ThreadLog::hand_over() {
  for (std::size_t i = 0; i < kLogFiles; ++i) {
    Pending& lines = pending_[i];
    if (lines.lines > 0) {
      std::string text;
      text.reserve(kHandOver + 4096);
      text.swap(lines.text);
      writer_.write(static_cast<LogFile>(i), std::move(text), std::exchange(lines.lines, 0));
    }
  }
}

// host - user [04/Jan/2009:11:13:07 +1000] "GET /x HTTP/1.1" 200 5939
void ThreadLog::add_request(std::string& out, const LogEntry& entry) {
  out += entry.client_host;
  out += " - ";
  append_escaped(out, entry.user.empty() ? "-" : entry.user);
  out += " [";
  out += timestamp();
  out += "] \"";
  append_escaped(out, entry.request_line);
  out += "\" ";
  append_number(out, static_cast<std::uint64_t>(entry.status));
  out += ' ';
  append_number(out, entry.bytes);
  if (settings_.total_time) {
    out += ' ';
    append_number(out, static_cast<std::uint64_t>(entry.total_ns) / 1000);
  }
  if (settings_.backend_time) {
    out += ' ';
    append_number(out, static_cast<std::uint64_t>(entry.backend_ns) / 1000);
  }
  if (settings_.junction) {
    out += ' ';
    append_escaped(out, entry.junction.empty() ? "-" : entry.junction);
  }
}

std::string_view ThreadLog::timestamp() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != second_) {
    second_ = now.tv_sec;
    std::tm local{};
    localtime_r(&now.tv_sec, &local);
    std::array<char, 64> text{};
    timestamp_.assign(text.data(), std::strftime(text.data(), text.size(), "%d/%b/%Y:%H:%M:%S %z", &local));
  }
  return timestamp_;
}

}  // namespace lab::gateway
