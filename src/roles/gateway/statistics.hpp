// What one thread counts; only that thread touches it. Others ask its loop for a copy.
#pragma once

#include <array>
#include <cstdint>

namespace lab::gateway {

struct Statistics {
  std::uint64_t requests = 0;                  // answered or aborted, malformed ones included
  std::array<std::uint64_t, 600> responses{};  // by status, as told to clients
  std::uint64_t retries = 0;                   // requests sent again on a fresh connection
  std::uint64_t backend_requests = 0;          // sent to back ends, retries included
  std::uint64_t logins = 0;                    // granted
  std::uint64_t connections = 0;               // accepted
  std::uint64_t log_lines = 0;                 // of request.log

  Statistics& operator+=(const Statistics& other) {
    requests += other.requests;
    for (std::size_t i = 0; i < responses.size(); ++i) {
      responses[i] += other.responses[i];
    }
    retries += other.retries;
    backend_requests += other.backend_requests;
    logins += other.logins;
    connections += other.connections;
    log_lines += other.log_lines;
    return *this;
  }
};

}  // namespace lab::gateway
