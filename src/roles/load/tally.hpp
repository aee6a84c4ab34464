// What is counted, for each window of a run. One worker writes its own; they are added up at the end.
#pragma once

#include "stats/histogram.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab::load {

enum class ErrorClass : std::uint8_t { connect, tls, timeout, status, body, header, protocol, closed };
inline constexpr std::size_t kErrorClasses = 8;
const char* name_of(ErrorClass error);

// A response belongs to the window in which it completes, a page's beginning to that in which it begins.
enum class Window : std::uint8_t { warmup, measure, drain };
inline constexpr std::size_t kWindows = 3;

struct Counts {
  std::uint64_t begun = 0;              // pages: begun when their client turns to them, connecting included
  std::uint64_t done = 0;               // pages with a good response
  std::uint64_t failed = 0;             // pages without: the sum of errors
  std::uint64_t logins = 0;             // 401 exchanges that asked for credentials, and forms posted; no pages
  std::uint64_t logouts = 0;            // no pages either
  std::uint64_t responses = 0;          // complete ones of any status, logins included
  std::uint64_t bytes = 0;              // of the bodies of done pages
  std::uint64_t full = 0, resumed = 0;  // TLS handshakes
  std::uint64_t reconnects = 0;         // connections opened because a kept one was lost
  std::uint64_t retries = 0;            // requests sent again because a kept connection was lost before a byte of the response
  std::uint64_t hashed = 0;             // bodies whose SHA-256 was checked
  std::array<std::uint64_t, kErrorClasses> errors{};

  void add(const Counts& other);
};

struct TlsSeen {
  std::string version, cipher;
  bool operator==(const TlsSeen&) const = default;
};

struct Tally {
  std::array<Counts, kWindows> windows;
  std::array<std::string, kErrorClasses> first_error;  // text of the first of each class
  // ns, of the measurement. For a page on a fresh connection connect + tls + wait + transfer = page; service is wait + transfer.
  stats::Histogram latency;   // open loop: from the instant when the page was due
  stats::Histogram lateness;  // open loop: from when it was due and a client was free, to its beginning
  stats::Histogram service, page, connect, tls, wait, transfer;
  std::vector<TlsSeen> tls_seen;                           // each once; at most kMaxTlsSeen
  std::uint64_t clients_begun = 0, clients_connected = 0;  // clients that began a page; that ever had a connection
  std::uint64_t cut_off = 0;                               // pages given up at the end of the drain
  std::int64_t oldest_cut_off_ns = 0, cut_off_ns = 0;      // age of the oldest; sum of ages
  std::int64_t cpu_ns = 0;                                 // of the thread, during the measurement
  std::int64_t last_response_ns = 0, finished_ns = 0;      // instants
  std::int64_t ended_ns = 0;                               // instant of the measurement's end; 0: all finished before
  std::uint64_t scheduled = 0;                             // open loop: pages due in the measurement
  std::uint64_t unstarted = 0;                             // of these, those that found no free client until its end
  std::int64_t oldest_unstarted_ns = 0;                    // how long the first of these had been due then
  std::int64_t busy_ns = 0;                                // pages under way, integrated over the measurement
  std::int64_t overlap_ns = 0;                             // each page's time within the measurement, added up: equal to busy_ns
  std::uint64_t logouts_failed = 0;
  std::uint64_t second_half = 0;  // of the pages done in the measurement, those of its second half

  static constexpr std::size_t kMaxTlsSeen = 8;
  Counts& in(Window window) { return windows[static_cast<std::size_t>(window)]; }
  const Counts& in(Window window) const { return windows[static_cast<std::size_t>(window)]; }
  void saw(const TlsSeen& tls);
  void merge(const Tally& other);
};

}  // namespace lab::load
