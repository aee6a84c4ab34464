// From a cell to what its services are told.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "lab/standing.hpp"
#include "matrix.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace lab::run {

// What the agents say of their nodes (`hello`).
struct NodeFacts {
  std::string architecture, kernel, openssl;
  int cpus = 0;                     // of its host
  std::vector<std::string> crypto;  // instructions: "aes", …
  std::string adapter;              // why there is no crypto adapter to use; empty: there is
  std::string log_disk;             // why its log-dir is not on a disk of its own; empty: it is, or there is none
  int carrier_cpus = 0;             // of the LPAR that carries it; 0: not known, or none
  bool carrier_known = false;       // it sees the CPU time of everything there
};
using Facts = std::map<std::string, NodeFacts>;  // by node

struct Timing {
  std::chrono::nanoseconds warmup{0}, measure{0};
};

// Where a gateway of a trial stands on its node: alone, or as one of a pair of variants beside the other.
enum class Place { alone, a, b };
std::string gateway_role(Place place);  // its name at the agent: "gateway", "gateway.a", "gateway.b"

enum class CryptoSwitch { untouched, software, hardware, adapter };

struct Driver {
  std::string node;
  LoadConfig load;  // without its start instant
};

struct Setup {
  std::string cell;
  std::string gateway;  // node
  std::string role;     // the gateway's name there
  double cpus = 0;      // lab CPUs of the gateway; 0: as they are
  int clients = 0;
  bool open_loop = false;  // requests come at a rate: the gateway need not be saturated
  CryptoSwitch crypto = CryptoSwitch::untouched;
  std::map<std::string, std::string> environment;  // of the gateway's process
  GatewayConfig config;
  std::vector<std::string> pages;   // back-end nodes of the junction, each once; none for a local one, or when some are not the lab's
  std::string pages_elsewhere;      // why what the back ends served is not checked; empty: it is
  std::vector<Driver> drivers;      // those with a client at least
  bool external = false;            // the gateway is only driven: not started, not counted
  std::vector<std::string> guests;  // nodes that are to want CPU meanwhile
};

// Errors: the lab has no gateway, no load node, or not the junction's servers; users too few to share out. A gateway at place b
// listens on second_ports(), and both of a pair log into files of their own.
Result<Setup> set_up(const Cell& cell, const Standing& standing, const Facts& facts, const Timing& timing, Place place = Place::alone);

// Why the cell cannot run on this lab; empty: it can.
std::string why_not_here(const Cell& cell, const Standing& standing, const Facts& facts);

// The node that is under test in this cell: the axis `gateway` names it, or its kind (the first of that kind), else the lab's first
// gateway. Nothing: there is none.
const Node* gateway_node(const Cell& cell, const Lab& lab);

}  // namespace lab::run
