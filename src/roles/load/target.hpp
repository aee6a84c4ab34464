// What clients of one side request, prepared once and constant: a URL, its steps, users and expectations.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/request.hpp"
#include "roles/load/url.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab::load {

struct Step {
  std::string method, target, body;
  Expectation expectation;
  double up_to = 1;        // drawn when a number in (0, 1] is up to this and above the step's before
  std::string keep, last;  // the request without credentials: on a connection that is kept, and as its last
};

struct Target {
  LoadConfig config;  // with this side's own values
  Url url;
  net::Address address;
  std::vector<net::Address> sources;  // local addresses; empty: the system's choice
  std::vector<Step> steps;
  Users users;
  std::uint64_t per_connection = 0;  // requests; 0: no limit
  bool cookies = false;

  const Step& draw(double number) const;
};

// Checks everything and resolves names; nothing is sent yet.
Result<Target> make_target(const LoadConfig& config);
// The other side of a pair; `config.against` must be there.
LoadConfig other_side(const LoadConfig& config);
Result<net::TlsContext> make_context(const Target& target);

}  // namespace lab::load
