// What Podman wants of this host before an ordinary user may make containers (rootless): found out without waking it.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "providers/container/engine.hpp"

#include <string>

namespace lab::providers::container {

struct Surroundings {
  bool root = true;  // nothing of all this is needed
  std::string user;
  bool newuidmap = true, network = true;  // the programs are there; network: slirp4netns
  bool tun = true;                        // /dev/net/tun may be opened
  std::string subuid, subgid;             // texts of /etc/subuid and /etc/subgid
  std::string user_namespaces;            // /proc/sys/user/max_user_namespaces; empty: the kernel does not say
};
Surroundings look_around(const Host& host, Deadline deadline);

// All that is missing, each with its remedy.
Errors missing_for_rootless(const Surroundings& here);

}  // namespace lab::providers::container
