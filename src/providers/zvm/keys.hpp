// A guest's own host key, made before the guest is, and the config drive that carries it there.
#pragma once

#include "lab/error.hpp"
#include "providers/local/sshd.hpp"
#include "providers/provider.hpp"

#include <filesystem>
#include <string>

namespace lab::providers::zvm {

inline constexpr const char* kUser = "root";  // who logs in, where the lab file names nobody

// Of <state>/guests/NODE; kept when there.
Result<local::HostKey> host_key_of(const std::filesystem::path& state, const std::string& node, Deadline deadline);
void forget_key(const std::filesystem::path& state, const std::string& node);

Result<std::string> drive_of(const Site& site, const Node& node, const local::HostKey& host_key);

}  // namespace lab::providers::zvm
