// What is to become of a request, found from its head without any I/O: limits, path, session, policy, login, access rule, junction.
#pragma once

#include "roles/gateway/exchange.hpp"
#include "roles/gateway/thread_context.hpp"

#include <string>
#include <string_view>

namespace lab::gateway {

struct Ruling {
  enum class Kind {
    forward,       // to exchange.mount, a tcp or ssl junction
    local,         // served from exchange.mount, a local junction
    refuse,        // with `status`, `why` and `headers`
    no_content,    // 204 with `headers`
    authenticate,  // ask the directory about `credentials`, then rule_after_login
    read_login,    // the login form comes as the body
    show_login,    // the form was asked for
    keep,          // keep the request and show the login form
    replay,        // put `kept` in the request's place
    log_out
  } kind = Kind::refuse;
  int status = 0;
  std::string_view why = {};
  std::string headers = {};
  BasicCredentials credentials = {};
  KeptPtr kept = nullptr;
};

// `peer_address` is the connection's. Fills in the exchange's path, mount, principal and session.
Ruling rule(ThreadContext& thread, Exchange& exchange, std::string_view peer_address);

// After the directory's answer: exchange.principal is who logged in, or null where credentials were refused.
Ruling rule_after_login(ThreadContext& thread, Exchange& exchange);

bool is_offered(BasicAuthentication where, Transport transport);

}  // namespace lab::gateway
