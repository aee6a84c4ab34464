// The agent: one process a node that supervises its roles and answers controllers (docs/agent-protocol.md).
#pragma once

#include "lab/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lab::agent {

struct Options {
  std::filesystem::path directory;  // everything of this node's is in here
  std::string node;
  std::string build;
  std::filesystem::path program;                                // that serves the roles: this binary
  std::vector<int> pin;                                         // CPUs for the agent and its roles; empty: all
  bool replace = false;                                         // an agent of another build is stopped first, with its roles
  std::chrono::nanoseconds idle_stop = std::chrono::hours{24};  // without orders for so long, the roles are stopped
  std::filesystem::path logs;                                   // absolute; where a role may log outside the folder; empty: nowhere
  std::filesystem::path system = "/";                           // where the machine's adapters and OpenSSL's modules are looked for
};

// Listens on DIR/agent.sock, calls `listening`, and serves until `shutdown` or SIGTERM; its roles have ended then.
// There is one agent a folder: the other holds a lock on DIR/agent.lock, and this one is an error.
Result<void> serve(const Options& options, const std::function<void()>& listening);

}  // namespace lab::agent
