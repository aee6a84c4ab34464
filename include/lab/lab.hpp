// A lab as its file describes it (labs/NAME.yaml), checked. The resolved, standing form is include/lab/standing.hpp.
#pragma once

#include "lab/roles.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab {

enum class ProviderKind { local, container, ssh, zvm, lxd };
enum class Role { gateway, directory, pages, load, firewall, database, guest, external };

std::string to_string(ProviderKind kind);
std::string to_string(Role role);
std::string to_string(Software software);

struct Network {
  std::string name;
  std::uint32_t address = 0;  // host byte order
  int prefix = 24;
  bool operator==(const Network&) const = default;
};

// A junction as files write it: servers are node names; the run and the orchestrator turn them into addresses.
struct JunctionPlan {
  std::string point;
  JunctionType type = JunctionType::tcp;
  std::vector<std::string> servers;  // node names, or host:port
  Identity identity;
  bool operator==(const JunctionPlan&) const = default;
};

struct GatewaySettings {
  BasicAuthentication basic = BasicAuthentication::both;
  std::string realm = "lab";
  BasicAuthentication forms = BasicAuthentication::none;
  std::uint16_t http = 8080, https = 8443;
  std::vector<JunctionPlan> junctions;
  std::vector<AccessRule> access;
  bool operator==(const GatewaySettings&) const = default;
};

struct DirectorySettings {
  std::uint16_t ldap = 3890;
  unsigned users = 1000;
  bool operator==(const DirectorySettings&) const = default;
};

struct PagesSettings {
  std::uint16_t http = 9080, https = 9443;
  int threads = 1;
  bool from_database = false;  // source: postgresql, of the lab's database
  int connections = 4;         // to it, per thread
  bool cache = false;          // keep pages that were read from it
  bool operator==(const PagesSettings&) const = default;
};

struct DatabaseSettings {
  std::uint16_t port = 5432;
  bool operator==(const DatabaseSettings&) const = default;
};

struct Guest {         // provider zvm: what is asked of it
  std::string userid;  // upper case
  std::string image, vswitch, gateway;
  std::uint64_t memory = 0;          // bytes
  std::vector<std::uint64_t> disks;  // bytes each
  int max_cpus = 0;                  // 0: not said
  bool operator==(const Guest&) const = default;
};

struct FeilongAccess {       // provider zvm: where its REST interface is
  std::string url;           // "http://zvm.example:8080"
  std::string token_file;    // of the admin token
  std::string ca_file;       // PEM, for https; empty: the host's own
  std::string disk_pool;     // "ECKD:POOL1"; empty: as Feilong is configured
  std::string user_profile;  // z/VM profile that guests include; likewise
  bool operator==(const FeilongAccess&) const = default;
};

struct Node {
  std::string name;
  std::vector<Role> roles;
  std::vector<std::string> networks;
  std::optional<double> cpus;  // lab CPUs; absent: not limited
  std::string machine;         // empty: the host that carries the lab
  std::string log_dir;         // gateway: a directory on a disk of its own
  // provider ssh
  std::string host, user, key, host_key;
  std::uint16_t port = 22;
  std::string address;  // fixed, in one of its networks; empty: the provider chooses
  Software software = Software::lab;
  Guest guest;
  // a node's own settings, merged key by key over the lab's
  GatewaySettings gateway;
  DirectorySettings directory;
  PagesSettings pages;
  DatabaseSettings database;

  bool has(Role role) const;
  bool operator==(const Node&) const = default;
};

struct Lab {
  std::string name;
  ProviderKind provider = ProviderKind::local;
  std::optional<double> cpu_unit;  // host CPUs that a lab CPU is worth; absent: auto
  FeilongAccess feilong;
  std::vector<Network> networks;
  std::vector<Node> nodes;  // in file order
  std::string source;       // the text it was read from: the deployed snapshot
  std::string path;         // where from, for messages

  const Node* find(const std::string& node) const;
  bool operator==(const Lab&) const = default;
};

}  // namespace lab
