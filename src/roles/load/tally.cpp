#include "roles/load/tally.hpp"

#include <algorithm>

namespace lab::load {

const char* name_of(ErrorClass error) {
  static constexpr std::array<const char*, kErrorClasses> names{"connect", "tls",    "timeout",  "status",
                                                                "body",    "header", "protocol", "closed"};
  return names[static_cast<std::size_t>(error)];
}

void Counts::add(const Counts& other) {
  begun += other.begun;
  done += other.done;
  failed += other.failed;
  logins += other.logins;
  logouts += other.logouts;
  responses += other.responses;
  bytes += other.bytes;
  full += other.full;
  resumed += other.resumed;
  reconnects += other.reconnects;
  retries += other.retries;
  hashed += other.hashed;
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    errors[i] += other.errors[i];
  }
}

void Tally::saw(const TlsSeen& tls_now) {
  if (tls_seen.size() < kMaxTlsSeen && std::find(tls_seen.begin(), tls_seen.end(), tls_now) == tls_seen.end()) {
    tls_seen.push_back(tls_now);
  }
}

void Tally::merge(const Tally& other) {
  for (std::size_t i = 0; i < kWindows; ++i) {
    windows[i].add(other.windows[i]);
  }
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    if (first_error[i].empty()) {
      first_error[i] = other.first_error[i];
    }
  }
  for (stats::Histogram Tally::*times :
       {&Tally::latency, &Tally::lateness, &Tally::service, &Tally::page, &Tally::connect, &Tally::tls, &Tally::wait, &Tally::transfer}) {
    (this->*times).merge(other.*times);
  }
  for (const TlsSeen& seen : other.tls_seen) {
    saw(seen);
  }
  clients_begun += other.clients_begun;
  clients_connected += other.clients_connected;
  cut_off += other.cut_off;
  oldest_cut_off_ns = std::max(oldest_cut_off_ns, other.oldest_cut_off_ns);
  cut_off_ns += other.cut_off_ns;
  cpu_ns += other.cpu_ns;
  last_response_ns = std::max(last_response_ns, other.last_response_ns);
  ended_ns = std::max(ended_ns, other.ended_ns);
  scheduled += other.scheduled;
  unstarted += other.unstarted;
  oldest_unstarted_ns = std::max(oldest_unstarted_ns, other.oldest_unstarted_ns);
  busy_ns += other.busy_ns;
  overlap_ns += other.overlap_ns;
  second_half += other.second_half;
  logouts_failed += other.logouts_failed;
  finished_ns = std::max(finished_ns, other.finished_ns);
}

}  // namespace lab::load
