// The controller's end of docs/agent-protocol.md: one connection a node, each on a thread of its own.
#pragma once

#include "lab/agents.hpp"
#include "lab/standing.hpp"
#include "remote/binaries.hpp"
#include "remote/remote.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lab::agent {

// Pushes the binary of the node's architecture when it is not there, starts the agent when it does not answer or is of another build.
// Idempotent.
Result<void> install(remote::Remote& remote, const StandingNode& node, const remote::Binaries& binaries, const std::string& build,
                     Deadline deadline);
// Stops the agent and its roles; one that is not there is success.
Result<void> stop(remote::Remote& remote, const StandingNode& node, Deadline deadline);
// The shell command whose standard input and output are a connection to the node's agent.
std::string attach_command(const StandingNode& node);

class Fleet final : public Agents {
 public:
  Fleet();
  ~Fleet() override;  // closes all; agents go on

  // Takes the connected remote over, attaches to its agent and says hello. Several nodes may be added at once. A node that is
  // there already gets the new connection; nobody may be calling it meanwhile.
  Result<void> add(const StandingNode& node, std::unique_ptr<remote::Remote> remote, Deadline deadline);
  bool has(const std::string& node) const;
  // Without a timeout_ns of its own, a call that waits on the node (role.start, role.wait, role.call) waits as long as the deadline allows.
  // The lease of a load that was started here is renewed until role.wait or role.stop of it returns.
  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params, Deadline deadline) override;

 private:
  class Connection;
  Connection* find(const std::string& node) const;

  mutable std::mutex mutex_;  // of the map; connections stay where they are
  std::map<std::string, std::unique_ptr<Connection>> connections_;
};

}  // namespace lab::agent
