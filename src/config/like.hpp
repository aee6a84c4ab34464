// `like`: a scenario that copies another.
#pragma once

#include "config/document.hpp"

namespace lab::config {

// Maps merge at every depth, lists and scalars of `own` replace; what `base` has keeps its place, new keys follow.
Value merge(const Value& base, const Value& own);

// The playbook's `scenarios` with every `like` followed. A junction whose type becomes `local` loses the servers that it inherits.
// Unknown names and circles are errors; such a scenario stays as written and is left out of `sound`.
struct Likened {
  std::vector<Value> scenarios;
  std::vector<bool> sound;  // one for each
};
Likened follow_likes(const Value& scenarios, Diagnostics& errors);

}  // namespace lab::config
