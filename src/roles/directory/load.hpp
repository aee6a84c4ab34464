// Where a directory's entries come from: an LDIF file, or a number.
#pragma once

#include "tree.hpp"

#include <memory>
#include <string>

namespace lab::directory {

// Errors as "people.ldif:12".
Result<std::unique_ptr<Tree>> load_ldif(const std::string& path);

// user000001 … with secret000001 …, ten groups, under dc=lab (design: "Roles alone").
std::unique_ptr<Tree> generate_users(unsigned count);

}  // namespace lab::directory
