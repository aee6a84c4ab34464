// A playbook's claims.
#pragma once

#include "config/keys.hpp"
#include "config/reader.hpp"
#include "lab/playbook.hpp"

namespace lab::config {

std::optional<Claim> claim(Cursor at);
Keys claim_keys();

// Every selector of a claim as it stands in the file.
std::vector<const Value*> selectors_of(const Value& claim);

}  // namespace lab::config
