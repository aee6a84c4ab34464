#include "providers/zvm/plan.hpp"

#include "providers/zvm/at_once.hpp"
#include "providers/zvm/guests.hpp"
#include "providers/zvm/look.hpp"
#include "providers/zvm/order.hpp"

#include <iterator>
#include <mutex>

namespace lab::providers::zvm {

namespace {

using namespace std::chrono_literals;

constexpr auto kPlanning = 60s;

void append(std::vector<Call>& calls, std::vector<Call> more) {
  calls.insert(calls.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Error located(Error error, const std::string& node) {
  error.where = "node " + node + (error.where.empty() ? "" : ", " + error.where);
  return error;
}

std::string described(const GuestOrder& order) {
  return "guest " + order.userid + ", " + std::to_string(order.vcpus) + (order.vcpus == 1 ? " CPU, " : " CPUs, ") +
         std::to_string(order.memory_mb) + " MB, image " + order.image + ", " + order.address;
}

Step step_of(const std::string& action, const Node& node, const std::string& detail, const std::vector<Call>& calls) {
  Step step{action, "node " + node.name, detail, {}};
  for (const Call& call : calls) {
    step.calls.push_back(to_string(call));
  }
  return step;
}

// It stands: looked at while planning and once more while doing, and started where it is off.
Result<Step, Errors> plan_standing(Guests& guests, const Node& node, const GuestOrder& order, const GuestRecord& record,
                                   Deadline deadline) {
  const auto on = guests.is_on(order.userid, deadline);
  if (!on) {
    return Errors{located(on.error(), node.name)};
  }
  std::vector<Call> calls{ask_entry(order.userid), ask_power(order.userid)};
  append(calls, calls_from(record, order));
  if (*on) {
    calls.pop_back();
    return step_of("keep", node, described(order), calls);
  }
  return step_of("repair", node, "guest " + order.userid + " is off", calls);
}

Result<Step, Errors> plan_node(Feilong& feilong, const Site& site, const Node& node, const FeilongAccess& access, Deadline deadline) {
  auto order = order_of(site, node, access);
  if (!order) {
    return Errors{order.error()};
  }
  const GuestRecord record = load(site.state, node.name).value_or(GuestRecord{node.name, order->userid, order->vswitch});
  Guests guests(feilong, site.name, site.state);
  const auto entry = guests.entry(order->userid, deadline);
  if (!entry) {
    return Errors{located(entry.error(), node.name)};
  }
  const bool ours = *entry && (record.stage > Stage::intended || labelled_node(**entry, site.name, site.state));
  if (*entry && !ours) {
    return Errors{Error{"guest " + order->userid + " exists, and not for this lab", "node " + node.name,
                        "give the node another `userid`, or name the guest by `host`"}};
  }
  if (ours && record.stage == Stage::ready) {
    return plan_standing(guests, node, *order, record, deadline);
  }
  if (Errors errors = check_order(feilong, *order, node.name, deadline); !errors.empty()) {
    return errors;
  }
  std::vector<Call> calls{ask_entry(order->userid)};
  append(calls, calls_of_check(*order));
  append(calls, calls_of_check(*order));  // while planning, and while doing
  append(calls, calls_from(ours ? record : GuestRecord{}, *order));
  return step_of(ours ? "repair" : "create", node, (ours ? "half-created: " : "") + described(*order), calls);
}

}  // namespace

bool is_created(const Node& node) { return node.software != Software::external && node.host.empty() && !node.guest.userid.empty(); }

Result<std::map<std::string, Step>, Errors> plan_created(Feilongs& feilongs, const Site& site, const remote::Binaries& binaries) {
  std::vector<const Node*> created;
  for (const Node& node : site.lab.nodes) {
    if (is_created(node)) {
      created.push_back(&node);
    }
  }
  std::map<std::string, Step> steps;
  if (created.empty()) {
    return steps;
  }
  const auto access = access_of(site.lab, site.state);
  const auto feilong = access ? feilongs.at(*access) : Result<Feilong*>(no_feilong(created.front()->name));
  if (!feilong) {
    return Errors{feilong.error()};
  }
  const Deadline deadline = Clock::now() + kPlanning;
  if (const auto version = version_of(**feilong, deadline); !version) {
    return Errors{version.error()};  // the same for all nodes: said once
  }
  Errors errors;
  std::mutex mutex;
  static_cast<void>(for_each_bounded(created, kMostAtOnce, [&](const Node* node) -> Result<void> {
    auto step = plan_node(**feilong, site, *node, *access, deadline);
    const std::lock_guard guard(mutex);
    if (step) {
      steps[node->name] = std::move(*step);
    } else {
      const Errors failed = step.error();  // by value
      errors.insert(errors.end(), failed.begin(), failed.end());
    }
    return {};
  }));
  if (!errors.empty()) {
    return errors;
  }
  if (const auto binary = binaries.find("s390x"); !binary) {  // only a guest that runs can say what it is
    for (auto& [node, step] : steps) {
      step.detail += step.action != "create" ? "" : "; what it runs is missing here: " + binary.error().remedy;
    }
  }
  auto& first = steps[created.front()->name].calls;
  first.insert(first.begin(), {"POST /token (where Feilong wants one)", name_of(ask_version())});
  return steps;
}

}  // namespace lab::providers::zvm
