#pragma once

#include <string>

namespace lab {

std::string version();   // "0.1.0"
std::string build_id();  // the same for every architecture of one build: the source's commit and state

}  // namespace lab
