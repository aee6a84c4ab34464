#include "roles/load/outcome.hpp"

#include "net/tls.hpp"

#include <boost/json.hpp>

namespace lab::load {

namespace {

namespace json = boost::json;

double us(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }
double s(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

json::object to_json(const stats::Histogram& histogram) {
  return {{"count", histogram.count()},          {"p50", us(histogram.percentile(50))},     {"p90", us(histogram.percentile(90))},
          {"p99", us(histogram.percentile(99))}, {"p99_9", us(histogram.percentile(99.9))}, {"max", us(histogram.max())},
          {"mean", histogram.mean() / 1e3}};
}

json::object to_json(const PageCounts& pages) {
  return {{"started", pages.started}, {"done", pages.done}, {"failed", pages.failed}, {"in_flight", pages.in_flight}};
}

json::object handshakes(const Counts& counts) { return {{"full", counts.full}, {"resumed", counts.resumed}}; }

// What a window has besides its pages.
json::object window_json(const PageCounts& pages, const Counts& counts) {
  json::object object = to_json(pages);
  object["logins"] = counts.logins;
  object["logouts"] = counts.logouts;
  object["responses"] = counts.responses;
  object["bytes"] = counts.bytes;
  object["handshakes"] = handshakes(counts);
  object["reconnects"] = counts.reconnects;
  object["retries"] = counts.retries;
  return object;
}

Counts all_counts(const Tally& tally) {
  Counts all;
  for (const Counts& counts : tally.windows) {
    all.add(counts);
  }
  return all;
}

json::object errors_json(const Counts& counts) {
  json::object errors;
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    errors[name_of(static_cast<ErrorClass>(i))] = counts.errors[i];
  }
  return errors;
}

json::object first_errors(const Tally& tally) {
  json::object texts;
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    if (!tally.first_error[i].empty()) {
      texts[name_of(static_cast<ErrorClass>(i))] = tally.first_error[i];
    }
  }
  return texts;
}

// All that was negotiated, joined by commas: one value each where all went well.
json::object tls_json(const Tally& tally) {
  std::string version;
  std::string cipher;
  for (const TlsSeen& seen : tally.tls_seen) {
    const std::string number = seen.version.starts_with("TLSv") ? seen.version.substr(4) : seen.version;
    version += (version.empty() ? "" : ",") + number;
    cipher += (cipher.empty() ? "" : ",") + seen.cipher;
  }
  return {{"version", version}, {"cipher", cipher}};
}

json::object cut_off_json(const Tally& tally) {
  const auto count = static_cast<double>(std::max<std::uint64_t>(tally.cut_off, 1));
  return {{"count", tally.cut_off},
          {"oldest_us", static_cast<double>(tally.oldest_cut_off_ns) / 1e3},
          {"mean_us", static_cast<double>(tally.cut_off_ns) / 1e3 / count}};
}

json::object drain_json(const Outcome& outcome) {
  json::object drain = window_json(pages_in(outcome.tally, Window::drain), outcome.tally.in(Window::drain));
  drain["duration_s"] = s(std::max<std::int64_t>(0, outcome.tally.finished_ns - outcome.end_ns));
  drain["cut_off"] = cut_off_json(outcome.tally);
  return drain;
}

json::object rate_json(const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  if (!outcome.target_rate) {
    return {{"target", nullptr}, {"achieved", rate(outcome)}};
  }
  return {{"target", *outcome.target_rate},
          {"achieved", rate(outcome)},
          {"scheduled", tally.scheduled},
          {"unstarted", tally.unstarted},
          {"oldest_unstarted_us", static_cast<double>(tally.oldest_unstarted_ns) / 1e3}};
}

json::object checks_json(const Outcome& outcome) {
  const Little little = littles_law(outcome);
  return {{"counts", counts_add_up(outcome.tally)},
          {"littles_law", json::object{{"observed", little.observed}, {"computed", little.computed}}}};
}

json::array flags_json(const Outcome& outcome) {
  json::array flags;
  for (const Flag flag : flags_of(outcome)) {
    flags.emplace_back(name_of(flag));
  }
  return flags;
}

json::object total_json(const Tally& tally) {
  const Counts all = all_counts(tally);
  json::object total = window_json(all_pages(tally), all);
  total["errors"] = errors_json(all);
  return total;
}

json::object side_json(const Tally& tally) {
  return {{"requests", to_json(pages_in(tally, Window::measure))},
          {"errors", errors_json(tally.in(Window::measure))},
          {"service_us", to_json(tally.service)},
          {"service_histogram", tally.service.encode()},
          {"handshakes", handshakes(tally.in(Window::measure))},
          {"logins", tally.in(Window::measure).logins},
          {"bytes", tally.in(Window::measure).bytes},
          {"tls", tls_json(tally)},
          {"total", total_json(tally)}};
}

json::object slot_json(const stats::SlotPlan& plan, const std::vector<stats::Slot>& slots, std::size_t i) {
  const stats::Slot& slot = slots[i];
  return {{"side", plan.side(i) == 0 ? "a" : "b"},
          {"warmup", i < plan.warm},
          {"start_ns", plan.begin(i)},
          {"s", s(plan.slice_ns)},
          {"done", slot.done},
          {"failed", slot.failed},
          {"first_ns", slot.first_ns},
          {"last_ns", slot.last_ns},
          {"late_us", static_cast<double>(slot.late_ns) / 1e3}};
}

// The mean of logs is the pair's ratio; it stands under "median", where all ratios' centres stand.
json::object against_json(const Outcome& outcome) {
  const stats::SlotPlan& plan = *outcome.slot_plan;
  const stats::PairRatio ratio = ratio_of(outcome);
  json::object object;
  object["ratio"] = {{"median", ratio.ratio}, {"low", ratio.low}, {"high", ratio.high}, {"n", ratio.n}};
  object["dropped_groups"] = ratio.dropped;
  object["slice_s"] = s(plan.slice_ns);
  object["gap_s"] = s(plan.gap_ns);
  object["a"] = side_json(outcome.sides[0]);
  object["b"] = side_json(outcome.sides[1]);
  json::array& slices = object["slices"].emplace_array();
  for (std::size_t i = 0; i < outcome.slots.size(); ++i) {
    slices.push_back(slot_json(plan, outcome.slots, i));
  }
  return object;
}

std::string first_error_text(const Tally& tally) {
  for (std::size_t i = 0; i < kErrorClasses; ++i) {
    if (!tally.first_error[i].empty()) {
      return std::string(": ") + name_of(static_cast<ErrorClass>(i)) + ": " + tally.first_error[i];
    }
  }
  return {};
}

}  // namespace

PageCounts pages_in(const Tally& tally, Window window) {
  PageCounts pages;
  std::uint64_t under_way = 0;  // at the start of the window
  for (std::size_t i = 0; i <= static_cast<std::size_t>(window); ++i) {
    const Counts& counts = tally.windows[i];
    pages.started = under_way + counts.begun;
    pages.done = counts.done;
    pages.failed = counts.failed;
    pages.in_flight = under_way = pages.started - pages.done - pages.failed;
  }
  return pages;
}

PageCounts all_pages(const Tally& tally) {
  const Counts all = all_counts(tally);
  return {all.begun, all.done, all.failed, tally.cut_off};
}

double seconds(const Outcome& outcome) { return s(outcome.end_ns - outcome.measure_ns); }

double rate(const Outcome& outcome) {
  const double length = seconds(outcome);
  return length > 0 ? static_cast<double>(outcome.tally.in(Window::measure).done) / length : 0;
}

const stats::Histogram& times_of(const Outcome& outcome) { return outcome.target_rate ? outcome.tally.latency : outcome.tally.service; }

double cpu_share(const Outcome& outcome) {
  const double available = seconds(outcome) * static_cast<double>(outcome.threads);
  return available > 0 ? s(outcome.tally.cpu_ns) / available : 0;
}

stats::PairRatio ratio_of(const Outcome& outcome) {
  return outcome.slot_plan ? stats::pair_ratio(stats::rates_of(*outcome.slot_plan, outcome.slots)) : stats::PairRatio{};
}

boost::json::object to_json(const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  const Counts& measured = tally.in(Window::measure);
  const Counts all = all_counts(tally);
  json::object object;
  object["requests"] = to_json(pages_in(tally, Window::measure));
  object["errors"] = errors_json(measured);
  object["first_errors"] = first_errors(tally);
  object["rate"] = rate_json(outcome);
  if (outcome.target_rate) {
    object["latency_us"] = to_json(tally.latency);
    object["lateness_us"] = to_json(tally.lateness);
    object["latency_histogram"] = tally.latency.encode();
  }
  object["service_us"] = to_json(tally.service);
  object["service_histogram"] = tally.service.encode();  // HdrHistogram V2, ns: what several drivers' results are merged from
  object["connect_us"] = to_json(tally.connect);
  object["tls_us"] = to_json(tally.tls);
  object["wait_us"] = to_json(tally.wait);
  object["transfer_us"] = to_json(tally.transfer);
  object["page_us"] = to_json(tally.page);
  object["handshakes"] = handshakes(measured);
  object["logins"] = measured.logins;
  object["reconnects"] = measured.reconnects;
  object["retries"] = measured.retries;
  object["bytes"] = measured.bytes;
  object["sha256_checked"] = all.hashed;
  object["halves"] = json::array{measured.done - std::min(measured.done, tally.second_half), tally.second_half};
  object["duration_s"] = seconds(outcome);
  object["cpu_s"] = s(tally.cpu_ns);
  object["measure"] = {{"start_ns", outcome.measure_ns}, {"end_ns", outcome.end_ns}};
  object["connections"] = {{"requested", outcome.clients}, {"achieved", tally.clients_connected}};
  object["threads"] = outcome.threads;
  object["tls"] = tls_json(tally);
  object["warmup"] = window_json(pages_in(tally, Window::warmup), tally.in(Window::warmup));
  object["warmup"].as_object()["duration_s"] = s(outcome.measure_ns - outcome.start_ns);
  object["drain"] = drain_json(outcome);
  object["total"] = total_json(tally);
  object["checks"] = checks_json(outcome);
  object["flags"] = flags_json(outcome);
  if (outcome.slot_plan) {
    object["against"] = against_json(outcome);
  }
  object["openssl_cpu"] = net::openssl_cpu_settings();
  return object;
}

Result<void> verdict(const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  if (tally.clients_connected < tally.clients_begun) {
    return Error{"only " + std::to_string(tally.clients_connected) + " of " + std::to_string(outcome.clients) +
                     " connections could be opened" + first_error_text(tally),
                 {},
                 "see whether the server runs and how many connections it and the limit of open files (ulimit -n) allow"};
  }
  if (all_counts(tally).done == 0) {
    return Error{"no request succeeded" + first_error_text(tally), {}, "try the URL with curl -v"};
  }
  return {};
}

}  // namespace lab::load
