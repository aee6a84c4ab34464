// PostgreSQL as the lab's database: a cluster of its own, made afresh in the current folder, with one table of pages.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "lab/units.hpp"
#include "roles/common/role.hpp"
#include "roles/peers/child.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lab::peers {

// The folder of Debian's newest PostgreSQL programs under `root`; nothing where none is installed.
std::optional<std::filesystem::path> postgresql_programs(const std::filesystem::path& root = "/usr/lib/postgresql");

// What makes the table and who may use it, for the single-user mode of postgres(1). Pages are put in by those who miss them.
std::string schema_sql(const DatabaseConfig& config);
// pg_hba.conf: that user, to that database, from anywhere, by SCRAM-SHA-256 (RFC 7677); nobody else.
std::string access_rules(const DatabaseConfig& config);

class Database {
 public:
  // PostgreSQL refuses to be root: as root it runs as user postgres, in a mount namespace where the folder is hidden from that user.
  static Result<std::unique_ptr<Database>> start(const DatabaseConfig& config, Deadline deadline);
  ~Database();  // fast shutdown, then removes the cluster

  std::string listening() const;
  int ended() const { return child_.ended(); }
  Result<void> check_running();

 private:
  Database(const DatabaseConfig& config, Child child) : config_(config), child_(std::move(child)) {}
  Result<void> await_ready(Deadline deadline);

  const DatabaseConfig config_;
  Child child_;
  std::unique_ptr<roles::ControlServer> control_;
};

}  // namespace lab::peers
