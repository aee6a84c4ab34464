// Unix stream sockets at paths of any length: what is longer than sun_path (108 bytes) is reached through /proc/self/fd.
#pragma once

#include "lab/error.hpp"
#include "remote/descriptor.hpp"

#include <string>

namespace lab::agent {

// Listens, not blocking, for this user only. A socket that is left there is replaced.
Result<remote::Descriptor> listen_unix(const std::string& path);
// Connects, not blocking.
Result<remote::Descriptor> connect_unix(const std::string& path);

}  // namespace lab::agent
