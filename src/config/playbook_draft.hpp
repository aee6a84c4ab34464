// A playbook that was read and not yet held together: with the places of its parts.
#pragma once

#include "config/document.hpp"
#include "lab/playbook.hpp"

namespace lab::config {

struct ScenarioDraft {
  Scenario scenario;
  Value value;        // with `like` followed; each part keeps the place where it is written
  bool sound = true;  // read without a complaint
};

struct PlaybookDraft {
  std::string name;
  std::vector<Profile> profiles;
  std::vector<ScenarioDraft> scenarios;
  std::vector<PairPlan> pairs;
  std::vector<Claim> claims;
  Value root;
};

// Nothing where the text is not YAML.
std::optional<PlaybookDraft> read_playbook(std::string_view text, Diagnostics& errors);

// What the parts of a playbook say about each other. Parts that could not be read are not held against the others.
void check_playbook(const PlaybookDraft& draft, Diagnostics& errors);

}  // namespace lab::config
