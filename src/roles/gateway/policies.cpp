#include "roles/gateway/policies.hpp"

#include <algorithm>

namespace lab::gateway {

namespace {

// A span over midnight belongs to the day on which it begins.
bool is_open(const ObjectPolicy& policy, std::time_t now) {
  std::tm at{};
  policy.utc ? gmtime_r(&now, &at) : localtime_r(&now, &at);
  const int minute = at.tm_hour * 60 + at.tm_min;
  const bool over_midnight = policy.from > policy.to;
  const bool after_midnight = over_midnight && minute < policy.to;
  if (over_midnight ? minute < policy.from && !after_midnight : minute < policy.from || minute >= policy.to) {
    return false;
  }
  const int day = after_midnight ? (at.tm_wday + 6) % 7 : at.tm_wday;
  return policy.days.empty() || std::find(policy.days.begin(), policy.days.end(), day) != policy.days.end();
}

}  // namespace

Result<Policies> Policies::create(const std::vector<ObjectPolicy>& policies) {
  Policies all;
  for (const ObjectPolicy& policy : policies) {
    Result<Networks> clients = Networks::parse(policy.clients);
    if (!clients) {
      Error error = clients.error();
      error.where = "policy for " + policy.path;
      return error;
    }
    all.entries_.push_back({normal_prefix(policy.path), policy, std::move(*clients)});
  }
  std::stable_sort(all.entries_.begin(), all.entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.prefix.size() > b.prefix.size(); });
  return all;
}

const char* Policies::objection(std::string_view path, Letters letters, bool https, std::string_view client_address,
                                std::time_t now) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is_below(path, entry.prefix, letters); });
  if (found == entries_.end()) {
    return nullptr;
  }
  if (found->policy.protection != ObjectPolicy::Protection::none && !https) {
    return "This is given over HTTPS only.";
  }
  if (!found->clients.empty() && !found->clients.contains(client_address)) {
    return "This is not given to your address.";
  }
  return is_open(found->policy, now) ? nullptr : "This is not given at this time.";
}

}  // namespace lab::gateway
