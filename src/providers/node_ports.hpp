// What a node's roles want of the machine that carries it, for providers to look at beforehand: ports, programs.
#pragma once

#include "lab/lab.hpp"

#include <string>
#include <vector>

namespace lab::providers {

struct ServicePort {
  std::string service;  // "gateway https", for messages
  std::uint16_t port = 0;
};

inline std::vector<ServicePort> ports_of(const Node& node) {
  std::vector<ServicePort> ports;
  if (node.has(Role::gateway)) {
    ports.push_back({"gateway http", node.gateway.http});
    ports.push_back({"gateway https", node.gateway.https});
  }
  if (node.has(Role::directory)) {
    ports.push_back({"directory ldap", node.directory.ldap});
  }
  if (node.has(Role::pages)) {
    ports.push_back({"pages http", node.pages.http});
    ports.push_back({"pages https", node.pages.https});
  }
  if (node.has(Role::database)) {
    ports.push_back({"database", node.database.port});
  }
  std::erase_if(ports, [](const ServicePort& port) { return port.port == 0; });
  return ports;
}

// A program that every PostgreSQL of Debian's brings along; the server itself is on nobody's PATH.
inline constexpr const char* kPostgreSql = "pg_ctlcluster";

// Debian's package of a gateway's program.
inline std::string package_of(Software software) { return software == Software::nginx ? "nginx-light" : to_string(software); }

}  // namespace lab::providers
