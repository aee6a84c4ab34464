// The tree as an LDIF file (RFC 2849), parents before their children.
#pragma once

#include "tree.hpp"

namespace lab::directory {

// Written beside it, synced and renamed: the file is there whole, or as it was before.
Result<void> save_ldif(const Tree& tree, const std::string& path);

}  // namespace lab::directory
