#include "remote/ssh_channel.hpp"

#include <algorithm>
#include <array>
#include <csignal>

namespace lab::remote {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOutputLimit = std::size_t{1} << 20;
constexpr std::size_t kErrorsLimit = std::size_t{64} << 10;
constexpr std::size_t kReadSize = std::size_t{64} << 10;
constexpr auto kReleaseTime = 1s;
constexpr int kStandardOutput = 0;
constexpr int kStandardError = SSH_EXTENDED_DATA_STDERR;

// RFC 4254 section 6.10 names signals without "SIG".
int signal_number(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 13> names{{{"ABRT", SIGABRT},
                                                                    {"ALRM", SIGALRM},
                                                                    {"FPE", SIGFPE},
                                                                    {"HUP", SIGHUP},
                                                                    {"ILL", SIGILL},
                                                                    {"INT", SIGINT},
                                                                    {"KILL", SIGKILL},
                                                                    {"PIPE", SIGPIPE},
                                                                    {"QUIT", SIGQUIT},
                                                                    {"SEGV", SIGSEGV},
                                                                    {"TERM", SIGTERM},
                                                                    {"USR1", SIGUSR1},
                                                                    {"USR2", SIGUSR2}}};
  const auto* found = std::find_if(names.begin(), names.end(), [name](const auto& entry) { return entry.first == name; });
  return found != names.end() ? found->second : 127;
}

}  // namespace

Result<std::unique_ptr<SshChannel>> SshChannel::start(SshSession& session, const std::string& command, Deadline deadline) {
  const auto opened = session.until_made(command, deadline, [&session] { return libssh2_channel_open_session(session.raw()); });
  if (!opened) {
    return opened.error();
  }
  std::unique_ptr<SshChannel> channel(new SshChannel(session, *opened, command));
  const auto started = session.until_done(command, deadline, [&] { return libssh2_channel_exec(*opened, command.c_str()); });
  if (!started) {
    return started.error();
  }
  return channel;
}

SshChannel::~SshChannel() {
  session_.until_released(Clock::now() + kReleaseTime, [this] { return libssh2_channel_free(channel_); });
}

Result<void> SshChannel::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const auto wrote = session_.until_done(doing_, deadline, [&] { return libssh2_channel_write(channel_, bytes.data(), bytes.size()); });
    if (!wrote) {
      return wrote.error();
    }
    bytes.remove_prefix(static_cast<std::size_t>(*wrote));
  }
  return {};
}

Result<std::optional<std::string>> SshChannel::read(Deadline deadline) {
  while (true) {
    std::string out;
    const auto some = take(kStandardOutput, out, kReadSize);
    const auto more = take(kStandardError, errors_, kErrorsLimit);
    if (!some || !more) {
      return (some ? more : some).error();
    }
    if (!out.empty()) {
      return std::optional(std::move(out));
    }
    if (libssh2_channel_eof(channel_) != 0) {
      return std::optional<std::string>("");
    }
    const auto waited = session_.wait_or_wake(doing_, deadline);
    if (!waited) {
      return waited.error();
    }
    if (!*waited) {
      return std::optional<std::string>();
    }
  }
}

// Appends what is there, up to the limit; the rest of a read is dropped. Whether there was anything: no byte is not the end.
Result<bool> SshChannel::take(int stream, std::string& into, std::size_t limit) {
  std::array<char, kReadSize> buffer;
  const auto got = libssh2_channel_read_ex(channel_, stream, buffer.data(), buffer.size());
  if (got < 0 && !session_.again(got)) {
    return session_.failed(doing_);
  }
  if (got <= 0) {
    return false;
  }
  into.append(buffer.data(), std::min(static_cast<std::size_t>(got), limit - std::min(limit, into.size())));
  return true;
}

// Writes what fits now; at the end of the input tells the command so. Whether anything was written.
Result<bool> SshChannel::give(std::string_view& input) {
  if (input.empty()) {
    return false;
  }
  const auto wrote = libssh2_channel_write(channel_, input.data(), input.size());
  if (wrote < 0 && !session_.again(wrote)) {
    // A command that ended without reading all of its input is not an error.
    input = {};
    return libssh2_channel_eof(channel_) != 0 ? Result<bool>(true) : Result<bool>(session_.failed(doing_));
  }
  input.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
  return wrote > 0;
}

Result<Output> SshChannel::finish(std::string_view input, Deadline deadline) {
  Output output;
  bool told_end = false;
  while (true) {
    const auto gave = give(input);
    const auto out = take(kStandardOutput, output.out, kOutputLimit);
    const auto err = take(kStandardError, output.err, kOutputLimit);
    for (const auto& result : {gave, out, err}) {
      if (!result) {
        return result.error();
      }
    }
    if (input.empty() && !told_end) {
      told_end = libssh2_channel_send_eof(channel_) != LIBSSH2_ERROR_EAGAIN;
    }
    if (*gave || *out || *err) {
      continue;
    }
    if (libssh2_channel_eof(channel_) != 0) {
      break;
    }
    if (const auto waited = session_.wait(doing_, deadline); !waited) {
      return waited.error();
    }
  }
  const auto exit = exit_code(deadline);
  if (!exit) {
    return exit.error();
  }
  output.exit = *exit;
  return output;
}

Result<int> SshChannel::exit_code(Deadline deadline) {
  // The server closes once it has told how the command ended; only then do we.
  for (const auto step : {&libssh2_channel_wait_closed, &libssh2_channel_close}) {
    if (const auto done = session_.until_done(doing_, deadline, [&] { return step(channel_); }); !done) {
      return done.error();
    }
  }
  char* name = nullptr;
  std::size_t length = 0;
  libssh2_channel_get_exit_signal(channel_, &name, &length, nullptr, nullptr, nullptr, nullptr);
  if (name != nullptr) {
    const int number = signal_number({name, length});
    libssh2_free(session_.raw(), name);
    return 128 + number;
  }
  return libssh2_channel_get_exit_status(channel_);
}

}  // namespace lab::remote
