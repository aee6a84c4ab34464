// The lab's own certificates: one authority a lab, one certificate a serving node. RSA-2048, as the study's handshakes cost.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace lab::pki {

// Writes ca.pem, ca.key (0600) into the folder; keeps what is there and valid.
Result<void> ensure_authority(const std::filesystem::path& folder, const std::string& name);
// Writes NAME.pem (with the chain) and NAME.key (0600), for these DNS names and addresses; keeps what is there and valid.
Result<void> ensure_certificate(const std::filesystem::path& folder, const std::string& name,
                                const std::vector<std::string>& names_and_addresses);

}  // namespace lab::pki
