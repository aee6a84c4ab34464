// What the parts of a lab file say about each other.
#pragma once

#include "config/document.hpp"
#include "lab/lab.hpp"

namespace lab::config {

// `root` is the file's tree, for positions. Sections that could not be read are not held against the others.
void check_lab(const Lab& lab, const Value& root, Diagnostics& errors);

}  // namespace lab::config
