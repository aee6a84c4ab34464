#include "faults.hpp"

#include "ldap/text.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace lab::directory {

namespace {

constexpr double kZ99 = 2.3263478740408408;  // of the normal distribution's 99th percentile
constexpr double kMostNs = 3600e9;

bool concerns(const Fault& fault, Fault::Operation operation, std::string_view normal_dn, int thread) {
  const auto& operations = fault.operations;
  const bool named = operations.empty() || std::find(operations.begin(), operations.end(), operation) != operations.end();
  const bool here = !fault.thread || *fault.thread == thread;
  return named && here &&
         (fault.dn.empty() || fnmatch(ldap::fold_case_and_space(fault.dn).c_str(), std::string(normal_dn).c_str(), FNM_NOESCAPE) == 0);
}

}  // namespace

Faults::Verdict Faults::judge(Fault::Operation operation, std::string_view normal_dn) {
  Verdict verdict;
  for (const Fault& fault : *faults_) {
    const bool hit =
        concerns(fault, operation, normal_dn, thread_) && (fault.rate >= 1 || std::uniform_real_distribution<>(0, 1)(random_) < fault.rate);
    if (!hit) {
      continue;
    }
    verdict.delay_ns += draw(fault);
    if (verdict.answer == Fault::Answer::usual) {
      verdict.answer = fault.answer;
    }
  }
  return verdict;
}

std::int64_t Faults::draw(const Fault& fault) {
  const auto low = static_cast<double>(fault.latency.count()), high = static_cast<double>(fault.latency_high.count());
  double ns = low;
  switch (fault.distribution) {
    case Fault::Distribution::fixed: break;
    case Fault::Distribution::uniform: ns = std::uniform_real_distribution<>(low, std::nextafter(high, high + 1))(random_); break;
    case Fault::Distribution::exponential: ns = low == 0 ? 0 : std::exponential_distribution<>(1 / low)(random_); break;
    case Fault::Distribution::log_normal:
      ns = low == 0 ? 0 : std::lognormal_distribution<>(std::log(low), std::log(high / low) / kZ99)(random_);
      break;
  }
  return static_cast<std::int64_t>(std::min(ns, kMostNs));
}

}  // namespace lab::directory
