// Looks at the servers of all junctions now and then, with HEAD /: whoever does not answer, or answers 503, is marked down for all
// threads until it answers again. Runs on one thread's loop.
#pragma once

#include "roles/gateway/thread_context.hpp"

#include <memory>
#include <vector>

namespace lab::gateway {

class HealthChecks {
 public:
  explicit HealthChecks(ThreadContext& thread);
  ~HealthChecks();

 private:
  class Ping;
  void look();
  void begin(const std::shared_ptr<MountPool>& mount, ServerPool& server);
  void ended(Ping& ping, const std::string& fault);  // fault: empty: it is well

  ThreadContext& thread_;
  net::Timer timer_;
  net::Nanos last_round_ = 0;
  std::vector<std::unique_ptr<Ping>> pings_;
};

}  // namespace lab::gateway
