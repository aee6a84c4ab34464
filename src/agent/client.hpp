// The controller's end of docs/agent-protocol.md: one connection a node, each on a thread of its own.
#pragma once

#include "lab/agents.hpp"
#include "lab/standing.hpp"
#include "remote/remote.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lab::agent {

// Pushes the binary when it is not there, starts the agent when it does not answer or is of another build. Idempotent.
Result<void> install(remote::Remote& remote, const StandingNode& node, const std::filesystem::path& binary, const std::string& build,
                     Deadline deadline);
// Stops the agent and its roles; one that is not there is success.
Result<void> stop(remote::Remote& remote, const StandingNode& node, Deadline deadline);

class Fleet final : public Agents {
 public:
  Fleet();
  ~Fleet() override;  // closes all; agents go on

  // Takes the connected remote over, attaches to its agent and says hello.
  Result<void> add(const StandingNode& node, std::unique_ptr<remote::Remote> remote, Deadline deadline);
  bool has(const std::string& node) const;
  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params, Deadline deadline) override;

 private:
  class Connection;
  std::map<std::string, std::unique_ptr<Connection>> connections_;
};

}  // namespace lab::agent
