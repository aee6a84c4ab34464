// Feilong's REST interface as a client sees it: tokens, retries and deadlines are dealt with here, what an answer means is the caller's.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "providers/zvm/answer.hpp"
#include "providers/zvm/calls.hpp"
#include "providers/zvm/transport.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace lab::providers::zvm {

// Waits, but not beyond the deadline; false: that is met. Tests let no time pass.
using Pause = std::function<bool(std::chrono::nanoseconds, Deadline)>;
Pause real_pause();

class Feilong {
 public:
  // Without an admin token no token is sent, as for a server that is set to `auth = none`.
  Feilong(std::unique_ptr<Transport> transport, std::string url, std::string admin_token, Pause pause);

  // Yes or no; nothing: the connection broke off after the call was sent, or nobody answered in time, so that whoever asked for a change
  // has to look whether it came about. Reading is tried twice. A 503 is waited out with growing pauses until the deadline. A token that
  // has expired is renewed once. An error: nobody is there, or not Feilong, or it does not take the token.
  Result<std::optional<Answer>> ask(const Call& call, Deadline deadline);

  // As ask(); what is neither yes nor no is an error too.
  Result<Answer> answer_to(const Call& call, Deadline deadline);

  const std::string& url() const { return url_; }

 private:
  Result<Exchange> exchange(const Call& call, Deadline deadline);
  Result<std::string> token(const std::string& refused, Deadline deadline);
  Error unreachable(const Exchange& exchange, const std::string& call) const;

  const std::unique_ptr<Transport> transport_;
  const std::string url_;
  const std::string admin_token_;
  const Pause pause_;
  std::mutex mutex_;  // guards the token
  std::string token_;
};

}  // namespace lab::providers::zvm
