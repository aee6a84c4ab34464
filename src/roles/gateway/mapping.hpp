// What a back end says about its own URLs, as clients of the gateway must see it: mapped to the junction's mount point.
#pragma once

#include "roles/gateway/junctions.hpp"

#include <string>
#include <string_view>

namespace lab::gateway {

// The value of Location or Content-Location. A URL of the server itself, and a path from its root, become a path below the mount
// point (none on transparent junctions); others' URLs and relative references stay.
std::string map_location(std::string_view value, const Mount& mount, const Server& server);

// The value of Set-Cookie: Path below the mount point; without Domain, which would name the back end.
std::string map_set_cookie(std::string_view value, const Mount& mount);

}  // namespace lab::gateway
