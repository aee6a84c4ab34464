// The page server: `GET /page/<bytes>` answers exactly that many bytes, `/echo` answers with the request.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lab::pages {

struct Totals {
  std::uint64_t requests = 0;     // heads read, whatever the answer
  std::uint64_t pages = 0;        // answers 200 to /page/…, counted when begun
  std::uint64_t bytes = 0;        // of page bodies, counted when begun
  std::uint64_t connections = 0;  // accepted
  std::uint64_t handshakes = 0;   // TLS, finished
  std::uint64_t database_reads = 0;
};

class Service {
 public:
  // Listens and serves from threads of its own until destroyed or drained.
  static Result<std::unique_ptr<Service>> start(const PagesConfig& config);
  ~Service();  // cuts connections off
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const std::vector<std::string>& listening() const;  // "http://127.0.0.1:9080", …, with the ports that the kernel gave
  Totals totals() const;
  Result<void> reload_certificate();           // for connections to come; on an error the old one stays
  void drain(std::chrono::nanoseconds limit);  // returns when all answers under way are sent, or at the limit

 private:
  Service();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::pages
