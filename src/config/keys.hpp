// The keys that the readers know, object by object; the JSON Schemas for editors are held to them by a test.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lab::config {

using Keys = std::map<std::string, std::vector<std::string>>;  // "node" to its keys

Keys lab_keys();
Keys playbook_keys();

}  // namespace lab::config
