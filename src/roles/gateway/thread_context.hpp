// What all connections of one thread stand on, and what all threads share.
#pragma once

#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "roles/gateway/access.hpp"
#include "roles/gateway/authenticator.hpp"
#include "roles/gateway/backend.hpp"
#include "roles/gateway/buffer.hpp"
#include "roles/gateway/kept_request.hpp"
#include "roles/gateway/networks.hpp"
#include "roles/gateway/pages.hpp"
#include "roles/gateway/policies.hpp"
#include "roles/gateway/request_log.hpp"
#include "roles/gateway/sessions.hpp"
#include "roles/gateway/statistics.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab::gateway {

// What the gateway goes by, never changed: a reload or `lab junction` puts another in its place.
struct Site {
  // Checks everything; errors name the junction, policy or file. What did not change is taken from `earlier`.
  static Result<std::shared_ptr<const Site>> create(const GatewayConfig& config, const Site* earlier = nullptr);

  bool is_blocked(std::string_view method) const;

  GatewayConfig config;
  Junctions junctions;
  AccessRules access;
  Policies policies;
  Networks trusted_proxies;
  Pages pages;
  std::string allow;  // the header line that goes with 405
};
using SitePtr = std::shared_ptr<const Site>;

// What outlives reloads; locks itself.
struct Shared {
  Shared(const GatewayConfig& config, std::function<void(const Error&)> reporting);

  PrincipalPtr unauthenticated = make_unauthenticated();
  Sessions sessions;
  KeptRequests kept;
  std::function<void(const Error&)> report;  // what the operator must know; from any thread
};

struct Transaction;

struct ThreadContext {
  ThreadContext(net::Loop& events, SitePtr all, Shared& among_threads, LogWriter& writer);
  ~ThreadContext();

  void adopt(SitePtr next);  // for requests to come
  void drop_retired();       // pools of junctions that are gone, once nothing uses them

  std::string_view http_date();  // of now, made once a second

  std::unique_ptr<Transaction> take_transaction();
  void give_transaction(std::unique_ptr<Transaction> transaction);

  net::Loop& loop;
  SitePtr site;
  Shared& shared;
  BlockPool blocks;
  std::vector<std::shared_ptr<MountPool>> mounts;  // as in site->junctions
  std::unique_ptr<Authenticator> authenticator;    // null: no directory
  ThreadLog log;
  Statistics statistics;
  bool draining = false;

 private:
  std::vector<std::shared_ptr<MountPool>> pools_of(const Site& next);

  std::vector<std::shared_ptr<MountPool>> retired_;
  std::vector<std::unique_ptr<Transaction>> spare_;
  std::int64_t date_second_ = -1;
  std::string date_;
};

}  // namespace lab::gateway
