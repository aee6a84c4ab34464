// What a client's connection needs while a request is under way, and gives back to its thread in between: idle connections are small.
#pragma once

#include "roles/gateway/answers.hpp"
#include "roles/gateway/body_collector.hpp"
#include "roles/gateway/exchange.hpp"
#include "roles/gateway/forwarding.hpp"

namespace lab::gateway {

struct Transaction {
  explicit Transaction(ThreadContext& thread) : forwarding(thread) {}

  void reset() {
    exchange.request.headers.clear();
    exchange.mount.reset();
    exchange.principal.reset();
    exchange.head_bytes = 0;
    answer.reset();
  }

  Exchange exchange;
  Answer answer;
  BodyCollector collector;
  KeptRequest keeping;  // while its body is collected
  Forwarding forwarding;
};

}  // namespace lab::gateway
