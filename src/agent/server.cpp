#include "agent/server.hpp"

#include "agent/connection.hpp"
#include "agent/role_files.hpp"
#include "agent/unix_socket.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <unistd.h>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <csignal>

namespace lab::agent {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr auto kLeftOverTime = 10s;
constexpr std::size_t kConnections = 64;
constexpr auto kFlushTime = 10ms;  // for the last answer to leave

Result<remote::Descriptor> lock_folder(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  remote::Descriptor lock{open((directory / "agent.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  if (!lock.open()) {
    return system_error("open " + (directory / "agent.lock").string(), errno, "is there space, and may the lab's user write there?");
  }
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{"another agent runs in " + directory.string(), {}, "`lab agent --stop` ends it"};
  }
  return lock;
}

Result<void> pin_to(const std::vector<int>& cpus) {
  if (cpus.empty()) {
    return {};
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    CPU_SET(static_cast<std::size_t>(cpu), &set);  // one beyond the set is no CPU, and left out
  }
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    return system_error("pin to the CPUs given", errno, "`nproc` says how many there are; they count from 0");
  }
  return {};
}

class Acceptor {
 public:
  Acceptor(asio::io_context& loop, int listener, Handlers& handlers)
      : acceptor_(loop, asio::local::stream_protocol(), listener), handlers_(handlers) {
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code failure, asio::local::stream_protocol::socket socket) {
      if (failure == asio::error::operation_aborted) {
        return;
      }
      std::erase_if(connections_, [](const auto& known) { return known.expired(); });
      if (!failure && connections_.size() < kConnections) {  // one too many is closed at once
        const auto connection = std::make_shared<Connection>(std::move(socket), handlers_);
        connections_.push_back(connection);
        connection->run();
      }
      accept();
    });
  }
  asio::local::stream_protocol::acceptor acceptor_;
  Handlers& handlers_;
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace

Result<void> serve(const Options& options, const std::function<void()>& listening) {
  const auto lock = lock_folder(options.directory);
  if (!lock) {
    return lock.error();
  }
  if (!remote::watch_end(getpid()).open()) {
    return Error{"this kernel has no pidfd_open", {}, "the agent needs Linux 5.3 or later"};
  }
  if (const auto pinned = pin_to(options.pin); !pinned) {
    return pinned.error();
  }
  if (const auto ended = end_left_over_roles(options.directory, Clock::now() + kLeftOverTime); !ended) {
    return ended.error();
  }
  const std::string socket = (options.directory / "agent.sock").string();
  auto listener = listen_unix(socket);
  if (!listener) {
    return listener.error();
  }
  write_identity(options.directory / "agent.pid", remote::identify(getpid()).value_or(remote::ProcessIdentity{}));

  asio::io_context loop(1);
  asio::steady_timer flush(loop);
  Handlers handlers(loop, options, [&loop, &flush] {
    flush.expires_after(kFlushTime);
    flush.async_wait([&loop](error_code) { loop.stop(); });
  });
  asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&handlers](error_code failure, int) {
    if (!failure) {
      handlers.end();
    }
  });
  const Acceptor acceptor(loop, listener->release(), handlers);
  listening();
  loop.run();
  unlink(socket.c_str());
  unlink((options.directory / "agent.pid").c_str());
  return {};
}

}  // namespace lab::agent
