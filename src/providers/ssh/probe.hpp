// What a given host is like, found out by one command that changes nothing there, and what of the lab it cannot carry.
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "providers/ssh/host.hpp"
#include "remote/binaries.hpp"
#include "remote/remote.hpp"

#include <set>
#include <string>
#include <string_view>

namespace lab::providers::ssh {

struct Facts {
  std::string architecture, home;
  int uid = -1;
  int cpus = 0;
  std::uint64_t free_kib = 0;       // where the home is
  bool writable = false;            // the home
  bool programs_run = true;         // no `noexec` there
  std::string directory;            // the lab's, where it is there
  std::string label;                // of that directory
  bool logs_writable = false;       // the node's log-dir
  std::set<std::string> programs;   // nginx, haproxy
  std::set<std::string> listening;  // "0100007F:1F90", as /proc/net/tcp has it
};

// For `sh -s -- NAME LOG-DIR`: the directory's name, the node's log-dir or nothing.
extern const char* const kProbe;

Result<Facts> look(remote::Remote& remote, const std::string& directory_name, const std::string& log_dir, const std::string& node,
                   Deadline deadline);
Facts parse_facts(std::string_view text);

struct Wanted {  // by the lab
  std::string label;
  double cpu_unit = 1;
  bool fresh = true;      // nothing of the node stands there yet
  bool database = false;  // pages come from one
};

// What keeps the host from carrying the node: everything, each with its remedy.
Errors judge(const Facts& facts, const Node& node, const Host& host, const Wanted& wanted, const remote::Binaries& binaries);

}  // namespace lab::providers::ssh
