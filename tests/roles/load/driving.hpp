// Runs a load to its end, with a deadline.
#pragma once

#include "catch_result.hpp"
#include "roles/load/load.hpp"
#include "roles/load/outcome.hpp"

#include <poll.h>

#include <chrono>

inline lab::load::Outcome finish(lab::load::Load& load) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!load.finished() && std::chrono::steady_clock::now() < deadline) {
    poll(nullptr, 0, 2);
  }
  REQUIRE(load.finished());
  return load.outcome();
}

inline lab::load::Outcome drive(const lab::LoadConfig& config) {
  auto load = lab::load::Load::prepare(config);
  REQUIRE(load);
  (*load)->begin();
  return finish(**load);
}

// A load of so many requests, whatever time they take.
inline lab::LoadConfig requests_of(const std::string& url, std::uint64_t requests, int clients = 1) {
  lab::LoadConfig config;
  config.url = url;
  config.requests = requests;
  config.clients = clients;
  config.duration = std::chrono::minutes(1);
  return config;
}

inline std::uint64_t errors_of(const lab::load::Outcome& outcome, lab::load::ErrorClass error) {
  std::uint64_t sum = 0;
  for (const auto& window : outcome.tally.windows) {
    sum += window.errors[static_cast<std::size_t>(error)];
  }
  return sum;
}

// started = done + failed + in flight, in each window and over all; a window's pages come from the one before.
inline void check_adds_up(const lab::load::Outcome& outcome) {
  using namespace lab::load;
  const PageCounts all = all_pages(outcome.tally);
  CHECK(all.started == all.done + all.failed + all.in_flight);
  CHECK(pages_in(outcome.tally, Window::drain).in_flight == all.in_flight);
  std::uint64_t errors = 0;
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    errors += errors_of(outcome, static_cast<ErrorClass>(i));
  }
  CHECK(all.failed == errors);
  CHECK(outcome.tally.service.count() == pages_in(outcome.tally, Window::measure).done);
  CHECK(counts_add_up(outcome.tally));
  CHECK(outcome.tally.busy_ns == outcome.tally.overlap_ns);  // Little's law, to the nanosecond
}
