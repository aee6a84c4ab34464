#include "load_text.hpp"

#include "lab/units.hpp"

#include <fmt/format.h>

namespace lab::cli {

namespace {

std::string in_time(double ns) { return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(ns))); }
std::string in_time(std::uint64_t ns) { return format_duration(std::chrono::nanoseconds(ns)); }

void print_times(std::ostream& out, const char* name, const stats::Histogram& times) {
  if (times.count() > 0) {
    out << fmt::format("  {:<9} p50 {}  p90 {}  p99 {}  p99.9 {}  max {}  mean {}\n", name, in_time(times.percentile(50)),
                       in_time(times.percentile(90)), in_time(times.percentile(99)), in_time(times.percentile(99.9)), in_time(times.max()),
                       in_time(times.mean()));
  }
}

void print_count(std::ostream& out, const char* name, std::uint64_t count) {
  if (count > 0) {
    out << fmt::format("  {:<9} {}\n", name, count);
  }
}

void print_errors(std::ostream& out, const load::Tally& tally) {
  for (std::size_t i = 0; i < load::kErrorClasses; ++i) {
    std::uint64_t count = 0;
    for (const load::Counts& window : tally.windows) {
      count += window.errors[i];
    }
    if (count > 0) {
      out << fmt::format("  {} errors  {}, the first: {}\n", load::name_of(static_cast<load::ErrorClass>(i)), count, tally.first_error[i]);
    }
  }
}

void print_rate(std::ostream& out, const load::Outcome& outcome) {
  const load::PageCounts pages = load::pages_in(outcome.tally, load::Window::measure);
  const std::string target = outcome.target_rate ? fmt::format(" of {:.1f}/s asked for", *outcome.target_rate) : std::string();
  out << fmt::format("  requests  {:.1f}/s{}: {} started = {} done + {} failed + {} in flight at the end\n", load::rate(outcome), target,
                     pages.started, pages.done, pages.failed, pages.in_flight);
}

void print_pair(std::ostream& out, const load::Outcome& outcome) {
  const stats::PairRatio ratio = load::ratio_of(outcome);
  const stats::SlotPlan& plan = *outcome.slot_plan;
  if (ratio.n == 0) {
    out << "  ratio     none: no group of slices counts\n";
    return;
  }
  out << fmt::format("  ratio     B / A = {:.4f}, 95% interval {:.4f} to {:.4f}, of {} groups A B B A\n", ratio.ratio, ratio.low,
                     ratio.high, ratio.n)
      << fmt::format("  slices    {} each, {} to drain\n", in_time(static_cast<double>(plan.slice_ns)),
                     in_time(static_cast<double>(plan.gap_ns)));
  print_times(out, "service A", outcome.sides[0].service);
  print_times(out, "service B", outcome.sides[1].service);
}

void print_tls(std::ostream& out, const load::Outcome& outcome) {
  if (!outcome.tls) {
    return;
  }
  for (const load::TlsSeen& seen : outcome.tally.tls_seen) {
    out << fmt::format("  {:<9} {}, {}\n", "TLS", seen.version, seen.cipher);
  }
  const load::Counts& counts = outcome.tally.in(load::Window::measure);
  out << fmt::format("  handshakes  {} full, {} resumed\n", counts.full, counts.resumed);
}

}  // namespace

void print(std::ostream& out, const LoadConfig& config, const load::Outcome& outcome) {
  const load::Tally& tally = outcome.tally;
  const load::Counts& counts = tally.in(load::Window::measure);
  out << config.url << (config.against ? " against " + config.against->url : "") << "  " << tally.clients_connected << " of "
      << outcome.clients << " connections, " << in_time(1e9 * load::seconds(outcome)) << '\n';
  print_rate(out, outcome);
  if (outcome.slot_plan) {
    print_pair(out, outcome);
  }
  print_times(out, "latency", tally.latency);
  print_times(out, "service", tally.service);
  print_times(out, "wait", tally.wait);
  print_times(out, "transfer", tally.transfer);
  print_times(out, "connect", tally.connect);
  print_times(out, "handshake", tally.tls);
  print_times(out, "lateness", tally.lateness);
  print_tls(out, outcome);
  print_count(out, "logins", counts.logins);
  print_count(out, "logouts", counts.logouts);
  print_count(out, "reconnects", counts.reconnects);
  print_count(out, "retries", counts.retries);
  out << fmt::format("  driver    {:.0f}% of {} thread{}\n", 100 * load::cpu_share(outcome), outcome.threads,
                     outcome.threads == 1 ? "" : "s");
  if (tally.cut_off > 0) {
    out << "  cut off   " << tally.cut_off << ", the oldest after " << in_time(static_cast<double>(tally.oldest_cut_off_ns)) << '\n';
  }
  print_errors(out, tally);
}

std::string text_of(const load::Probe& probe) {
  return fmt::format("{:>10.1f}/s  {:<9} {:.1f}/s achieved, p99 {}{}{}", probe.rate, probe.met ? "met" : "not met", probe.achieved,
                     in_time(probe.p99_ms * 1e6), probe.confirmation ? ", confirmation" : "", probe.met ? "" : ": " + probe.why);
}

void print(std::ostream& out, const load::Search& search) {
  if (search.rate > 0) {
    out << fmt::format("highest rate within the limit: {:.1f}/s{}\n", search.rate,
                       search.bounded ? "" : "; no higher one was tried, since none may be");
  } else {
    out << "not even the lowest rate tried was within the limit\n";
  }
}

}  // namespace lab::cli
