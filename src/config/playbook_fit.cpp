// Does a playbook fit a lab? Names and roles, with the playbook's places.
#include "config/config.hpp"
#include "config/playbook_draft.hpp"

#include <algorithm>

namespace lab::config {

namespace {

const char* transport(bool https) { return https ? "https" : "http"; }

bool offers_login(const Node& gateway, bool https) {
  const BasicAuthentication basic = gateway.gateway.basic;
  return basic == BasicAuthentication::both || basic == (https ? BasicAuthentication::https : BasicAuthentication::http);
}

std::string offered(const Node& gateway) {
  return gateway.gateway.basic == BasicAuthentication::none
             ? "no basic login"
             : std::string("basic login over ") + transport(offers_login(gateway, true)) + " only";
}

class LabMatcher {
 public:
  LabMatcher(const PlaybookDraft& draft, const Lab& lab, Diagnostics& errors) : draft_(draft), lab_(lab), errors_(errors) {}

  void run() {
    for (const Node& node : lab_.nodes) {
      nodes_.push_back(node.name);
      if (node.has(Role::gateway)) {
        gateways_.push_back(node.name);
        kinds_.push_back(to_string(node.software));
      }
      if (!node.machine.empty() && !contains(machines_, node.machine)) {
        machines_.push_back(node.machine);
      }
    }
    for (const Role role : {Role::gateway, Role::load}) {
      if (!has(role)) {
        errors_.add(draft_.root.mark, "lab " + shown(lab_.name) + " has no node with role " + to_string(role), "add one to the lab");
      }
    }
    for (const ScenarioDraft& one : draft_.scenarios) {
      match_scenario(one);
    }
    for (const Value& claim : items_of(draft_.root.find("claims"))) {
      match_claim(claim);
    }
  }

 private:
  void match_scenario(const ScenarioDraft& one) {
    for (const Value* server : texts_of(part_of(one.value.find("junction"), "servers"))) {
      match_server(*server);
    }
    for (const Value* gateway : texts_of(part_of(one.value.find("axes"), "gateway"))) {
      if (!contains(kinds_, gateway->text)) {
        match(*gateway, "gateway", gateways_);
      }
    }
    const Value* login = one.value.find("auth");
    if (one.scenario.login != LoginMode::none && login != nullptr) {
      match_login(one, *login);
    }
  }

  void match_login(const ScenarioDraft& one, const Value& login) {
    if (!has(Role::directory)) {
      errors_.add(login.mark, "lab " + shown(lab_.name) + " has no directory to log in to", "add a node with role directory",
                  login.width());
    }
    for (const std::string& name : gateways_of(one)) {
      const Node* gateway = lab_.find(name);
      const bool ours = gateway != nullptr && gateway->software == Software::lab;  // cells of the others that log in are skipped
      if (ours && gateway->has(Role::gateway) && !offers_login(*gateway, one.scenario.https)) {
        errors_.add(login.mark,
                    "scenario " + shown(one.scenario.id) + " logs in over " + transport(one.scenario.https) + ", and gateway " +
                        shown(name) + " of lab " + shown(lab_.name) + " offers " + offered(*gateway),
                    "change `client` here, or `basic` of the gateway's `authentication`", login.width());
      }
    }
  }

  // Those that it names, else the first.
  std::vector<std::string> gateways_of(const ScenarioDraft& one) const {
    std::vector<std::string> named;
    for (const Value* gateway : texts_of(part_of(one.value.find("axes"), "gateway"))) {
      named.push_back(gateway->text);
    }
    return !named.empty() || gateways_.empty() ? named : std::vector<std::string>{gateways_.front()};
  }

  void match_server(const Value& server) {
    if (server.text.find(':') != std::string::npos) {
      return;  // host:port
    }
    match(server, "node", nodes_);
    const Node* node = lab_.find(server.text);
    if (node != nullptr && !node->has(Role::pages) && !node->has(Role::external)) {
      errors_.add(server.mark, "node " + shown(server.text) + " of lab " + shown(lab_.name) + " serves no pages",
                  "name a node with role pages", server.width());
    }
  }

  void match_claim(const Value& claim) {
    match_measure(claim.find("share"));
    for (const Value& step : items_of(claim.find("order"))) {
      match_measure(&step);
    }
    match_below(part_of(claim.find("below"), "nodes"));
  }

  void match_measure(const Value* measure) {
    for (const Value* node : texts_of(part_of(measure, "node"))) {
      match(*node, "node", nodes_);
    }
    for (const Value* machine : texts_of(part_of(measure, "machine"))) {
      match(*machine, "machine", machines_);
    }
  }

  // Nodes that the lab lacks leave the claim untold, unless another is too busy: one must be there.
  void match_below(const Value* named) {
    const auto nodes = texts_of(named);
    const bool any = std::any_of(nodes.begin(), nodes.end(), [&](const Value* node) { return contains(nodes_, node->text); });
    if (named != nullptr && !any) {
      errors_.add(named->mark, "lab " + shown(lab_.name) + " has none of these nodes", "known: " + join(nodes_), named->width());
    }
  }

  void match(const Value& value, const std::string& what, const std::vector<std::string>& known) {
    if (!contains(known, value.text)) {
      errors_.add(value.mark, "lab " + shown(lab_.name) + " has no " + what + " " + shown(value.text), suggestion(value.text, known),
                  value.width());
    }
  }

  bool has(Role role) const {
    return std::any_of(lab_.nodes.begin(), lab_.nodes.end(), [&](const Node& node) { return node.has(role); });
  }

  const PlaybookDraft& draft_;
  const Lab& lab_;
  Diagnostics& errors_;
  std::vector<std::string> nodes_, gateways_, kinds_, machines_{"host"};
};

}  // namespace

Errors check_against(const Playbook& playbook, const Lab& lab) {
  Diagnostics errors(playbook.source, playbook.path);
  if (const auto draft = read_playbook(playbook.source, errors)) {
    LabMatcher(*draft, lab, errors).run();
  }
  return errors.take();
}

}  // namespace lab::config
