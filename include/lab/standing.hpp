// A lab that stands: the lab as deployed and where each node is reached.
#pragma once

#include "lab/lab.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab {

// How the CPUs of a node are limited here.
enum class CpuMethod { none, quota, stop_continue };

struct StandingNode {
  std::string name;
  std::string address;  // where its roles listen
  std::string machine;  // never empty: "host" for the controller's own
  // sides of the SSH connection
  std::string ssh_address, ssh_user, ssh_host_key;  // host key: "SHA256:…" fingerprint
  std::uint16_t ssh_port = 22;
  std::string directory;                         // the agent's folder on the node
  std::vector<int> host_cpus;                    // that it is pinned to; empty: all
  std::string log_dir;                           // its own folder below the lab's log-dir; empty: none
  std::map<std::string, std::string> addresses;  // by network, where it stands on networks of its own; else empty
  std::string ssh_key;                           // private key file; empty: the lab's own
  bool external = false;                         // an address that is only driven: nothing of the lab's runs there
};

struct Standing {
  std::string name;  // of the instance: --name, or the lab's
  Lab lab;
  std::filesystem::path state;  // $XDG_STATE_HOME/lab/<name>
  double cpu_unit = 1;
  CpuMethod cpu_method = CpuMethod::none;
  std::string cpu_note;  // why no better method: for the report
  std::vector<StandingNode> nodes;

  const StandingNode* find(const std::string& node) const;
};

}  // namespace lab
