// Who is this? Search-then-bind against the directory over kept connections, on the gateway's loop. One a thread.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/loop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab::gateway {

struct Login {
  enum class Outcome { granted, refused, unavailable } outcome = Outcome::unavailable;  // refused: wrong user or password
  std::string user;                                                                     // short name, as the directory spells it
  std::vector<std::string> groups;                                                      // their cn, sorted
  std::string why;                                                                      // unavailable: for the log
};

class Authenticator {
 public:
  // Resolves and checks the settings; connects when first needed.
  static Result<std::unique_ptr<Authenticator>> create(net::Loop& loop, const DirectoryClient& settings);
  virtual ~Authenticator() = default;

  // Answers on the loop, never before returning. Empty user or password is refused without asking. Deadline 10 s.
  // A stale kept connection is replaced and asked again once; a busy pool queues, first come first served.
  virtual void authenticate(std::string user, std::string password, std::function<void(Login)> answer) = 0;
};

}  // namespace lab::gateway
