#include "live_table.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <cstdint>

namespace lab::cli {

namespace {

constexpr int kEveryMs = 1000;

void drain(int fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd, &count, sizeof count);
}

}  // namespace

LiveTable::LiveTable(std::ostream& out, int fd, Deadline (*now)())
    : out_(out), fd_(fd), now_(now), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), block_(out), counted_(now()) {
  // The thread that draws is to get the signal, and not one that measures. Threads inherit what is blocked.
  sigset_t resize, before;
  sigemptyset(&resize);
  sigaddset(&resize, SIGWINCH);
  pthread_sigmask(SIG_UNBLOCK, &resize, &before);
  thread_ = std::thread([this] { serve(); });
  pthread_sigmask(SIG_BLOCK, &resize, nullptr);
}

LiveTable::~LiveTable() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
  thread_.join();
  sigset_t resize;
  sigemptyset(&resize);
  sigaddset(&resize, SIGWINCH);
  pthread_sigmask(SIG_UNBLOCK, &resize, nullptr);
}

void LiveTable::change(std::function<void(RunView&)> how) { post(std::move(how)); }
void LiveTable::print(std::string line) { post(std::move(line)); }

void LiveTable::post(Message message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

bool LiveTable::take() {
  std::vector<Message> messages;
  bool end = false;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(messages_);
    end = end_;
  }
  const Deadline now = now_();
  view_.pass(now - counted_);
  counted_ = now;
  for (const Message& message : messages) {
    if (const auto* line = std::get_if<std::string>(&message)) {
      block_.clear(terminal_size(fd_).columns);
      out_ << printable(*line) << '\n';
    } else {
      std::get<0>(message)(view_);
    }
  }
  return !end;
}

void LiveTable::serve() {
  while (take()) {
    // The last column stays free: a terminal may wrap after it.
    const TerminalSize size = terminal_size(fd_);
    block_.draw(view_.lines({size.columns - 1, size.rows - 1}), size.columns);
    std::array<pollfd, 2> waiting{pollfd{wake_.get(), POLLIN, 0}, pollfd{resizes_.fd(), POLLIN, 0}};
    poll(waiting.data(), waiting.size(), kEveryMs);
    drain(wake_.get());
    drain(resizes_.fd());
  }
  block_.clear(terminal_size(fd_).columns);
}

}  // namespace lab::cli
