// From a standing lab's settings to what its services are told: node names become addresses and ports, files get their places
// in the node's folder. Pure; the orchestrator uses it for standing roles, the run for those of a trial.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "lab/standing.hpp"

#include <string>

namespace lab {

// The ports of a second gateway beside a node's own, for pairs of variants that stand at once: the next ones that neither uses.
struct GatewayPorts {
  std::uint16_t http = 0, https = 0;  // 0: none
};
GatewayPorts second_ports(const GatewaySettings& settings);

// Where things are in a node's folder (StandingNode::directory).
struct NodeFiles {
  explicit NodeFiles(const std::string& directory);
  std::string certificates;                 // folder
  std::string authority, certificate, key;  // PEM files in it
  std::string logs;                         // folder of the gateway's logs, so that a run may empty them
};

// request.log, agent.log and referer.log in a folder.
GatewayLogs gateway_logs(const std::string& folder);

// The folder of its own that a gateway logs into on another disk, below the node's log-dir; no two nodes of any lab have the same. Where
// it is stands in the node's folder, in the file kLogFolderFile.
inline constexpr const char* kLogFolderPrefix = ".lab-logs-";
inline constexpr const char* kLogFolderFile = "log-folder";
std::string own_log_folder(const std::string& log_dir, const std::string& node_directory);

// Whether any node takes its pages from the lab's database; else that is not started.
bool reads_database(const Lab& lab);

// A junction as the gateway of that node sees it. A server is a node with role pages (its http or https port, by the junction's type)
// or host:port; anything else is an error that names the junction.
Result<Junction> resolve_junction(const Standing& standing, const StandingNode& gateway, const JunctionPlan& plan);

// With the lab's directory (the first node of that role; none: everybody is let in), standing junctions, certificates and log files.
// Threads: the node's lab CPUs, rounded up. No control socket: the agent gives each role its own.
Result<GatewayConfig> resolve_gateway(const Standing& standing, const StandingNode& node);
Result<DirectoryConfig> resolve_directory(const Standing& standing, const StandingNode& node);
Result<PagesConfig> resolve_pages(const Standing& standing, const StandingNode& node);
Result<DatabaseConfig> resolve_database(const Standing& standing, const StandingNode& node);

}  // namespace lab
