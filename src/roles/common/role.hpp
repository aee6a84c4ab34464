// What every role's process has in common: threads that share nothing, a ready line, a control socket, drain on SIGTERM.
#pragma once

#include "lab/error.hpp"
#include "lab/interrupt.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab::roles {

// Told about a control call; from the control thread. Unknown methods are an error with what = "no such method".
using ControlHandler = std::function<Result<boost::json::value>(std::string_view method, const boost::json::object& params)>;

// Answers JSON-RPC lines on a Unix socket (docs/agent-protocol.md) from one thread of its own, until destroyed.
class ControlServer {
 public:
  static Result<std::unique_ptr<ControlServer>> start(const std::string& path, ControlHandler handler);
  ~ControlServer();  // closes and unlinks

 private:
  ControlServer();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One call from the outside, e.g. the agent or `lab junction --control`.
Result<boost::json::value> control_call(const std::string& path, std::string_view method, const boost::json::object& params,
                                        int timeout_ms);

// Writes {"listen": […], "openssl_cpu": …, "openssl_providers": […], "pid": N} to the descriptor and closes it; negative: nothing to tell.
// What OpenSSL says is this process's own, unless what another's says of the CPU is given.
void tell_ready(int fd, const std::vector<std::string>& listen);
void tell_ready(int fd, const std::vector<std::string>& listen, const std::string& openssl_cpu);

// Blocks until Ctrl-C, SIGTERM (both by `interrupt`), or `done` says so, which is asked whenever `wake` can be read and, unless
// negative, after every `period_ms`.
void wait_until(const Interrupt& interrupt, const std::function<bool()>& done, int wake, int period_ms = -1);

}  // namespace lab::roles
