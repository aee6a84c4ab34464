// One SSH connection: a non-blocking socket and a libssh2 session, where every call is repeated until it is done, fails, or meets its
// deadline.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/descriptor.hpp"
#include "remote/remote.hpp"

#include <libssh2.h>
#include <atomic>
#include <memory>
#include <string>
#include <type_traits>

namespace lab::remote {

class SshSession {
 public:
  // Connects, compares the host's key with the pinned one, authenticates.
  static Result<std::unique_ptr<SshSession>> connect(const Target& target, Deadline deadline);
  // Connects and hangs up again, without logging in: the key that the host shows.
  static Result<HostKey> host_key_of(const Target& target, Deadline deadline);
  SshSession(const SshSession&) = delete;
  SshSession& operator=(const SshSession&) = delete;
  ~SshSession();

  LIBSSH2_SESSION* raw() const { return session_; }
  const Target& target() const { return target_; }

  // Repeats a libssh2 call that returns a number, negative on errors.
  template <class Call>
  requires std::is_arithmetic_v<std::invoke_result_t<Call>> Result<long> until_done(const std::string& doing, Deadline deadline,
                                                                                    Call call) {
    while (true) {
      const auto result = static_cast<long>(call());
      if (result >= 0) {
        return result;
      }
      if (!again(result)) {
        return failed(doing);
      }
      if (const auto waited = wait(doing, deadline); !waited) {
        return waited.error();
      }
    }
  }
  // Repeats a libssh2 call that makes something: a channel, a file.
  template <class Call>
  requires std::is_pointer_v<std::invoke_result_t<Call>> Result<std::invoke_result_t<Call>> until_made(const std::string& doing,
                                                                                                       Deadline deadline, Call call) {
    while (true) {
      if (auto made = call()) {
        return made;
      }
      if (!again(libssh2_session_last_errno(session_))) {
        return failed(doing);
      }
      if (const auto waited = wait(doing, deadline); !waited) {
        return waited.error();
      }
    }
  }
  // Repeats a call that lets go of something. It never hangs: at the deadline the socket is shut down, after which such calls end.
  template <class Call>
  void until_released(Deadline deadline, Call call) {
    for (int tries = 0; call() == LIBSSH2_ERROR_EAGAIN && tries < kReleaseTries;) {
      if (!wait("close", deadline)) {
        shut_down();
        ++tries;
      }
    }
  }

  // Waits until the socket allows what libssh2 waits for, with keepalives meanwhile. Too late: shuts the socket down, an error.
  Result<void> wait(const std::string& doing, Deadline deadline);
  // The same, but ends also with a wake() from another thread, and at the deadline without harm. False: nothing came.
  Result<bool> wait_or_wake(const std::string& doing, Deadline deadline);
  void wake();
  void abort();  // from any thread

  bool again(long result) const;
  Error failed(const std::string& doing) const;  // from libssh2's last error
  Error error(const std::string& doing, const std::string& what, std::string remedy = {}) const;
  void shut_down();

 private:
  static constexpr int kReleaseTries = 100;  // on a socket that is shut down; then the memory is given up

  explicit SshSession(const Target& target) : target_(target) {}
  Result<void> open_socket(Deadline deadline);
  Result<void> shake_hands(Deadline deadline);
  HostKey shown_host_key() const;
  Result<void> check_host_key(Deadline deadline);
  Result<void> authenticate(Deadline deadline);
  int poll_socket(Deadline deadline, bool wakeable);

  Target target_;
  Descriptor socket_;
  Descriptor wake_;  // an eventfd
  LIBSSH2_SESSION* session_ = nullptr;
  std::atomic<bool> aborted_{false};
  bool shut_ = false;
};

}  // namespace lab::remote
