#include "agent/daemon.hpp"

#include "agent/local_client.hpp"
#include "agent/role_files.hpp"
#include "agent/unix_socket.hpp"
#include "lab/resolve.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>

namespace lab::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kHelloTime = 5s;
constexpr std::string_view kUp = "up";

std::string socket_of(const fs::path& directory) { return (directory / "agent.sock").string(); }

// In the child: nothing of the terminal or the SSH session that started it is left.
void detach(const fs::path& directory) {
  setsid();
  static_cast<void>(chdir("/"));
  const remote::Descriptor null{open("/dev/null", O_RDWR | O_CLOEXEC)};
  const remote::Descriptor log{open((directory / "agent.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  dup2(null.get(), STDIN_FILENO);
  dup2(null.get(), STDOUT_FILENO);
  dup2(log.open() ? log.get() : null.get(), STDERR_FILENO);
}

[[noreturn]] void serve_in_child(const Options& options, remote::Descriptor told) {
  detach(options.directory);
  const auto tell = [&told](std::string_view text) {
    static_cast<void>(::write(told.get(), text.data(), text.size()));
    told.reset();
  };
  const auto served = serve(options, [&tell] { tell(kUp); });
  if (!served) {
    tell(served.error().what + "\n" + served.error().remedy);
  }
  _exit(served ? 0 : 1);
}

// The build of the agent that answers there.
std::optional<std::string> build_of_running(const fs::path& directory, Deadline deadline) {
  const auto client = LocalClient::connect(socket_of(directory), std::min(deadline, Clock::now() + kHelloTime));
  return client ? std::optional(text_or_empty(client->hello(), "build")) : std::nullopt;
}

// What the child says on the pipe until it closes it.
Result<std::string> hear(const remote::Descriptor& pipe, Deadline deadline) {
  std::string text;
  std::array<char, 1024> buffer;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd entry{pipe.get(), POLLIN, 0};
    if (left <= 0ms || poll(&entry, 1, static_cast<int>(left.count())) <= 0) {
      return Error{"the agent did not start in time", {}, "its folder has agent.log"};
    }
    const ssize_t got = read(pipe.get(), buffer.data(), buffer.size());
    if (got <= 0) {
      return text;
    }
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<void> launch(const Options& options, Deadline deadline) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return system_error("make a pipe", errno);
  }
  const remote::Descriptor hears{ends[0]};
  remote::Descriptor told{ends[1]};
  const pid_t child = fork();
  if (child == 0) {
    serve_in_child(options, std::move(told));
  }
  told.reset();
  if (child < 0) {
    return system_error("start the agent", errno);
  }
  const auto text = hear(hears, deadline);
  if (!text) {
    return text.error();
  }
  if (*text == kUp || build_of_running(options.directory, deadline) == options.build) {  // another start may have been faster
    return {};
  }
  const auto line_end = text->find('\n');
  return Error{text->empty() ? "the agent ended at once" : text->substr(0, line_end),
               {},
               line_end == std::string::npos ? "its folder has agent.log" : text->substr(line_end + 1)};
}

// Where it is stands in the node's folder before it is there, so that whoever removes the one finds the other.
Result<void> make_log_folder(const fs::path& directory, const fs::path& logs) {
  if (!(std::ofstream(directory / kLogFolderFile) << logs.string() << '\n').flush()) {
    return system_error("write " + (directory / kLogFolderFile).string(), errno, "is there space, and may the lab's user write there?");
  }
  std::error_code failed;
  fs::create_directory(logs, failed);
  return failed ? Error{"make " + logs.string() + ": " + failed.message(),
                        {},
                        "is the node's log-dir there, and may the lab's user write in it?"}
                : Result<void>();
}

void remove_log_folder(const fs::path& directory) {
  std::string logs;
  std::getline(std::ifstream(directory / kLogFolderFile) >> std::ws, logs);
  std::error_code ignored;
  if (fs::path(logs).filename().string().starts_with(kLogFolderPrefix)) {
    fs::remove_all(logs, ignored);
  }
}

}  // namespace

Result<void> start_in_background(const Options& options, Deadline deadline) {
  std::error_code failure;
  Options own = options;
  own.directory = fs::absolute(options.directory, failure);
  fs::create_directories(own.directory, failure);
  if (failure) {
    return Error{"make " + own.directory.string() + ": " + failure.message(), {}, "is there space, and may the lab's user write there?"};
  }
  if (const auto running = build_of_running(own.directory, deadline)) {
    if (*running == options.build) {
      return {};
    }
    if (!options.replace) {
      return Error{"an agent of build " + *running + " runs in " + own.directory.string(), {}, "`lab up` replaces it"};
    }
  }
  if (options.replace) {
    if (const auto stopped = stop_in_background(own.directory, deadline); !stopped) {
      return stopped.error();
    }
  }
  if (!own.logs.empty()) {
    if (const auto made = make_log_folder(own.directory, own.logs); !made) {
      return made.error();
    }
  }
  return launch(own, deadline);
}

Result<void> stop_in_background(const fs::path& directory, Deadline deadline) {
  const auto agent = read_identity(directory / "agent.pid");
  if (auto client = LocalClient::connect(socket_of(directory), std::min(deadline, Clock::now() + kHelloTime))) {
    static_cast<void>(client->call("shutdown", {}, deadline));  // what it does not end is ended below
  }
  if (agent) {
    if (const auto ended =
            remote::end_process_group(*agent, std::max<std::chrono::nanoseconds>(deadline - Clock::now() - 1s, 0ns), deadline);
        !ended) {
      return ended.error();
    }
  }
  if (const auto ended = end_left_over_roles(directory, deadline); !ended) {
    return ended.error();
  }
  std::error_code ignored;
  fs::remove(directory / "agent.sock", ignored);
  fs::remove(directory / "agent.pid", ignored);
  remove_log_folder(directory);
  return {};
}

}  // namespace lab::agent
