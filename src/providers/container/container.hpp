// Provider container: a container a node, on Podman (as root or rootless) or Docker, with the lab's networks and one for management.
#pragma once

#include "providers/container/engine.hpp"
#include "providers/provider.hpp"

#include <memory>

namespace lab::providers::container {

std::unique_ptr<Provider> make_container(Host host);
std::unique_ptr<Provider> make_container();  // this host's engine

// Whether a network of this engine, or an address of this host, is in the way of the lab's networks in that slot.
bool slot_taken(const Host& host, const Lab& lab, int slot);

}  // namespace lab::providers::container
