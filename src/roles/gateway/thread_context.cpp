#include "roles/gateway/thread_context.hpp"

#include "http/message.hpp"

#include <ctime>

namespace lab::gateway {

namespace {

Sessions::Limits session_limits(const GatewayConfig& config) {
  return {config.session_entries, std::chrono::nanoseconds(config.session_lifetime).count(),
          std::chrono::nanoseconds(config.session_idle).count()};
}

}  // namespace

Site::Site(GatewayConfig settings, Junctions resolved, const Timeouts& limits)
    : config(std::move(settings)),
      junctions(std::move(resolved)),
      access(config.access, !config.directory.url.empty()),
      timeouts(limits),
      sessions(session_limits(config)) {}

ThreadContext::ThreadContext(net::Loop& events, const Site& all, LogWriter& writer) : loop(events), site(all), log(events, writer) {
  for (const Mount& mount : site.junctions.all()) {
    mounts.push_back(std::make_unique<MountPool>(loop, blocks, mount));
  }
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

}  // namespace lab::gateway
