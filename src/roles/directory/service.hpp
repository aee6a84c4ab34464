// The directory server: LDAP and LDAPS over one tree, from threads that share nothing else.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lab::directory {

struct Totals {
  std::uint64_t binds = 0;
  std::uint64_t searches = 0;
  std::map<int, std::uint64_t> results;  // by result code
  std::uint64_t connections = 0;         // accepted
};

class Service {
 public:
  // Loads the data, listens, and serves from threads of its own until destroyed or drained.
  static Result<std::unique_ptr<Service>> start(const DirectoryConfig& config);
  ~Service();  // cuts connections off
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const std::vector<std::string>& listening() const;  // "ldap://127.0.0.1:3890", …, with the ports that the kernel gave
  std::size_t entries() const;
  Totals totals() const;
  Result<void> reload_certificate();           // for connections to come; on an error the old one stays
  void set_faults(std::vector<Fault> faults);  // for operations to come; what waits already goes on waiting
  Result<void> save(const std::string& path);  // all entries as LDIF; the file is there whole or as it was
  // Tells every client (notice of disconnection) once its requests are answered; returns when all are gone, or at the limit.
  void drain(std::chrono::nanoseconds limit);

 private:
  Service();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::directory
