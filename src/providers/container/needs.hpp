// What Podman wants of this host beforehand: of an ordinary user's rights (rootless), of its neighbours. Found out without waking it.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "providers/container/engine.hpp"

#include <string>
#include <string_view>

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

// Docker, where it runs beside Podman, has this host drop what it forwards, and the kernel counts what bridges carry among it. From the
// texts of `nft list chain ip filter FORWARD` and /proc/sys/net/bridge/bridge-nf-call-iptables.
Result<void> check_bridges(std::string_view forward, std::string_view filtered);

// All of this for the engine and user at hand.
Errors missing_here(const Engine& engine, const Host& host, Deadline deadline);

}  // namespace lab::providers::container
