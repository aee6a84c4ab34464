// Parts that lab files, playbooks and role files have in common.
#pragma once

#include "config/reader.hpp"
#include "lab/lab.hpp"

namespace lab::config {

// "all", "none", or one or more of iv-user, iv-groups, iv-creds.
std::optional<Identity> identity(Cursor at);

// A URL path from its root: "/", "/app".
std::optional<std::string> url_path(Cursor at);

// {path, allow} or {path, users, groups}
std::optional<AccessRule> access_rule(Cursor at);
std::vector<std::string> access_rule_keys();

// {basic, realm, forms}
struct Authentication {
  BasicAuthentication& basic;
  std::string& realm;
  BasicAuthentication& forms;
};
void read_authentication(Cursor at, Authentication into);
std::vector<std::string> authentication_keys();

// {point, type, servers, identity}; servers are node names or host:port.
std::optional<JunctionPlan> junction_plan(Cursor at);
std::vector<std::string> junction_plan_keys();

}  // namespace lab::config
