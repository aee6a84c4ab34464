// Provider ssh: hosts that exist. On each the lab has one directory of its own, and changes nothing beside it.
#pragma once

#include "providers/provider.hpp"
#include "remote/binaries.hpp"

#include <memory>

namespace lab::providers::ssh {

struct Options {
  remote::Binaries binaries;          // what hosts can be given to run
  bool accept_new_host_keys = false;  // pin what a host without `host-key` shows first
};

std::unique_ptr<Provider> make_ssh(Options options);

}  // namespace lab::providers::ssh
