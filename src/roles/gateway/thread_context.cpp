#include "roles/gateway/thread_context.hpp"

#include "http/message.hpp"
#include "roles/gateway/transaction.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kKeptEntries = 1024;
constexpr std::size_t kSpareTransactions = 1024;

Sessions::Limits session_limits(const GatewayConfig& config) {
  return {config.session_entries, std::chrono::nanoseconds(config.session_lifetime).count(),
          std::chrono::nanoseconds(config.session_idle).count()};
}

std::string allow_line(const Site& site) {
  std::string line = "Allow: ";
  for (const char* const method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    line += site.is_blocked(method) ? "" : (line.ends_with(": ") ? "" : ", ") + std::string(method);
  }
  return line + "\r\n";
}

}  // namespace

Result<SitePtr> Site::create(const GatewayConfig& config, const Site* earlier) {
  Result<Junctions> junctions = Junctions::resolve(config.junctions, earlier == nullptr ? nullptr : &earlier->junctions);
  if (!junctions) {
    return junctions.error();
  }
  Result<Policies> policies = Policies::create(config.policies);
  if (!policies) {
    return policies.error();
  }
  Result<Networks> proxies = Networks::parse(config.trusted_proxies);
  if (!proxies) {
    Error error = proxies.error();
    error.where = "trusted proxies";
    return error;
  }
  Result<Pages> pages = Pages::load(config.pages);
  if (!pages) {
    return pages.error();
  }
  auto site = std::make_shared<Site>(Site{config,
                                          std::move(*junctions),
                                          AccessRules(config.access, !config.directory.url.empty()),
                                          std::move(*policies),
                                          std::move(*proxies),
                                          std::move(*pages),
                                          {}});
  site->allow = allow_line(*site);
  return SitePtr(std::move(site));
}

bool Site::is_blocked(std::string_view method) const {
  return std::find(config.blocked_methods.begin(), config.blocked_methods.end(), method) != config.blocked_methods.end();
}

Shared::Shared(const GatewayConfig& config, std::function<void(const Error&)> reporting)
    : sessions(session_limits(config)),
      kept(std::min<std::size_t>(config.session_entries, kKeptEntries), session_limits(config).idle),
      report(std::move(reporting)) {}

ThreadContext::ThreadContext(net::Loop& events, SitePtr all, Shared& among_threads, LogWriter& writer)
    : loop(events), site(std::move(all)), shared(among_threads), log(events, writer, site->config.logs) {
  mounts = pools_of(*site);
}

ThreadContext::~ThreadContext() = default;

std::vector<std::shared_ptr<MountPool>> ThreadContext::pools_of(const Site& next) {
  std::vector<std::shared_ptr<MountPool>> pools;
  for (const MountPtr& mount : next.junctions.all()) {
    const auto same = std::find_if(mounts.begin(), mounts.end(), [&mount](const auto& pool) { return pool->shared() == mount; });
    pools.push_back(same != mounts.end() ? *same : std::make_shared<MountPool>(loop, blocks, shared.report, mount));
  }
  return pools;
}

// Pools that go are kept until the next sweep: this may be called by a connection of theirs.
void ThreadContext::adopt(SitePtr next) {
  std::vector<std::shared_ptr<MountPool>> pools = pools_of(*next);
  for (auto& old : mounts) {
    if (std::find(pools.begin(), pools.end(), old) == pools.end()) {
      retired_.push_back(std::move(old));
    }
  }
  mounts = std::move(pools);
  site = std::move(next);
}

void ThreadContext::drop_retired() {
  retired_.erase(std::remove_if(retired_.begin(), retired_.end(), [](const auto& pool) { return pool.use_count() == 1; }), retired_.end());
}

std::string_view ThreadContext::http_date() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != date_second_) {
    date_second_ = now.tv_sec;
    date_ = http::http_date(now.tv_sec);
  }
  return date_;
}

std::unique_ptr<Transaction> ThreadContext::take_transaction() {
  if (spare_.empty()) {
    return std::make_unique<Transaction>(*this);
  }
  std::unique_ptr<Transaction> transaction = std::move(spare_.back());
  spare_.pop_back();
  return transaction;
}

void ThreadContext::give_transaction(std::unique_ptr<Transaction> transaction) {
  if (spare_.size() < kSpareTransactions) {
    transaction->reset();
    spare_.push_back(std::move(transaction));
  }
}

}  // namespace lab::gateway
