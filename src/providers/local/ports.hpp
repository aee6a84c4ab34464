// Is a port free, and if not: who has it? Found by trying to listen, as the service will.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <string>

namespace lab::providers::local {

// An error names the address, the port, who listens there as far as this user may know, and the remedy.
Result<void> check_free(const Endpoint& endpoint, const std::string& node, const std::string& service);

// Whether anything listens within 127.<second>.0.0/16.
bool listens_within(int second);

}  // namespace lab::providers::local
