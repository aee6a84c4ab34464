// The files of one role in DIR/roles/NAME: config.json, log, out, pid, control.sock.
#pragma once

#include "lab/error.hpp"
#include "remote/descriptor.hpp"
#include "remote/process.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace lab::agent {

inline constexpr std::uint64_t kLogLimit = std::uint64_t{4} << 20;

class RoleFiles {
 public:
  explicit RoleFiles(const std::filesystem::path& folder) : folder_(folder) {}

  std::string config() const { return (folder_ / "config.json").string(); }
  std::string control() const { return (folder_ / "control.sock").string(); }
  std::string log() const { return (folder_ / "log").string(); }
  std::string out() const { return (folder_ / "out").string(); }
  const std::filesystem::path& folder() const { return folder_; }

  // Makes the folder, keeps the log of before as log.1, writes the configuration with control.sock in it where it names no socket.
  Result<void> prepare(boost::json::object config) const;
  Result<remote::Descriptor> open_log() const { return open_for_appending(log()); }
  Result<remote::Descriptor> open_out() const { return open_for_appending(out()); }

  std::string last_log_lines(std::size_t count) const;  // at most 64 KiB
  boost::json::value result() const;                    // the last JSON line of `out`; null when there is none
  void bound() const;  // a log or out over 4 MiB is moved to log.1 or out.1 and begun anew; the role goes on writing to it

  void write_identity(const remote::ProcessIdentity& process) const;
  std::optional<remote::ProcessIdentity> read_identity() const;
  void remove_identity() const;

 private:
  static Result<remote::Descriptor> open_for_appending(const std::string& path);
  std::filesystem::path folder_;
};

// "pid starttime" in a file, by which a process is ended later.
void write_identity(const std::filesystem::path& file, const remote::ProcessIdentity& process);
std::optional<remote::ProcessIdentity> read_identity(const std::filesystem::path& file);

// Ends the roles that an agent which is gone has left behind.
Result<void> end_left_over_roles(const std::filesystem::path& directory, Deadline deadline);

}  // namespace lab::agent
