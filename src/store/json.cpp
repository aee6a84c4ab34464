#include "json.hpp"

#include "read.hpp"

#include <boost/json.hpp>

namespace lab::store {

namespace json = boost::json;

namespace {

json::object to_json(const Interval& interval, bool with_n) {
  json::object object{{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
  if (with_n) {
    object["n"] = interval.n;
  }
  return object;
}

Interval interval_from_json(const json::object& object) {
  return {number_of(object, "median"), number_of(object, "low"), number_of(object, "high"), static_cast<int>(integer_of(object, "n"))};
}

json::object to_json(const Counts& counts) {
  return {{"started", counts.started},
          {"done", counts.done},
          {"failed", counts.failed},
          {"in_flight", counts.in_flight},
          {"logins", counts.logins},
          {"gateway", counts.gateway},
          {"gateway_counter", counts.gateway_counter},
          {"pages", counts.pages},
          {"retries", counts.retries},
          {"errors", to_object(counts.errors)}};
}

Counts counts_from_json(const json::object& object) {
  Counts counts;
  counts.started = count_of(object, "started");
  counts.done = count_of(object, "done");
  counts.failed = count_of(object, "failed");
  counts.in_flight = count_of(object, "in_flight");
  counts.logins = count_of(object, "logins");
  counts.gateway = count_of(object, "gateway");
  const json::value* counter = object.if_contains("gateway_counter");
  counts.gateway_counter = counter != nullptr && counter->is_bool() && counter->get_bool();
  counts.pages = count_of(object, "pages");
  counts.retries = count_of(object, "retries");
  counts.errors = counts_of(object, "errors");
  return counts;
}

json::object to_json(const Slice& slice) {
  return {{"start_ns", slice.start_ns}, {"s", slice.s}, {"done", slice.done}, {"cpu_us", to_object(slice.cpu_us)}};
}

json::object percentiles_json(double p50, double p99) { return {{"p50", p50}, {"p99", p99}}; }

json::value to_json(const std::optional<Percentiles>& latency) {
  return latency ? json::value(percentiles_json(latency->p50, latency->p99)) : json::value();
}

std::optional<Percentiles> percentiles_from_json(const json::object& object) {
  return object.empty() ? std::nullopt : std::optional(Percentiles{number_of(object, "p50"), number_of(object, "p99")});
}

json::value to_json(const std::optional<Latency>& latency) {
  return latency ? json::value(json::object{{"p50", to_json(latency->p50, true)}, {"p99", to_json(latency->p99, true)}}) : json::value();
}

std::optional<Latency> latency_from_json(const json::object& object) {
  return object.empty()
             ? std::nullopt
             : std::optional(Latency{interval_from_json(object_of(object, "p50")), interval_from_json(object_of(object, "p99"))});
}

json::object tls_json(const std::string& version, const std::string& cipher) { return {{"version", version}, {"cipher", cipher}}; }

json::object to_json(const Side& side) {
  json::array slices;
  for (const Slice& slice : side.slices) {
    slices.emplace_back(to_json(slice));
  }
  return {{"cell", side.cell},
          {"counts", to_json(side.counts)},
          {"pages_per_s", side.pages_per_s},
          {"cpu", to_object(side.cpu)},
          {"cpu_us_per_page", to_object(side.cpu_us_per_page)},
          {"machines", to_object(side.machines)},
          {"service_us", percentiles_json(side.service_us_p50, side.service_us_p99)},
          {"latency_us", to_json(side.latency_us)},
          {"tls", tls_json(side.tls_version, side.tls_cipher)},
          {"openssl_cpu", side.openssl_cpu},
          {"slices", std::move(slices)}};
}

Side side_from_json(const json::object& object) {
  Side side;
  side.cell = text_of(object, "cell");
  side.counts = counts_from_json(object_of(object, "counts"));
  side.pages_per_s = number_of(object, "pages_per_s");
  side.cpu = numbers_of(object, "cpu");
  side.cpu_us_per_page = numbers_of(object, "cpu_us_per_page");
  side.machines = numbers_of(object, "machines");
  side.service_us_p50 = number_of(object_of(object, "service_us"), "p50");
  side.service_us_p99 = number_of(object_of(object, "service_us"), "p99");
  side.latency_us = percentiles_from_json(object_of(object, "latency_us"));
  side.tls_version = text_of(object_of(object, "tls"), "version");
  side.tls_cipher = text_of(object_of(object, "tls"), "cipher");
  side.openssl_cpu = text_of(object, "openssl_cpu");
  for (const json::value& value : array_of(object, "slices")) {
    if (const json::object* slice = value.if_object()) {
      side.slices.push_back(
          {integer_of(*slice, "start_ns"), number_of(*slice, "s"), count_of(*slice, "done"), counts_of(*slice, "cpu_us")});
    }
  }
  return side;
}

json::object to_json(const CellResult& cell) {
  json::object axes;
  for (const auto& [axis, value] : cell.axes) {
    axes[axis] = value;
  }
  return {{"id", cell.id},
          {"scenario", cell.scenario},
          {"axes", std::move(axes)},
          {"status", cell.status},
          {"reason", cell.reason},
          {"trials", cell.trials},
          {"pages_per_s", to_json(cell.pages_per_s, false)},
          {"service_us", percentiles_json(cell.service_us_p50, cell.service_us_p99)},
          {"latency_us", to_json(cell.latency_us)},
          {"cpu", to_object(cell.cpu)},
          {"cpu_us_per_page", to_object(cell.cpu_us_per_page)},
          {"machines", to_object(cell.machines)},
          {"errors", cell.errors},
          {"tls", tls_json(cell.tls_version, cell.tls_cipher)},
          {"limited_by", cell.limited_by},
          {"flags", to_array(cell.flags)}};
}

CellResult cell_from_json(const json::object& object) {
  CellResult cell;
  cell.id = text_of(object, "id");
  cell.scenario = text_of(object, "scenario");
  for (const auto& axis : object_of(object, "axes")) {
    cell.axes.emplace_back(axis.key(), axis.value().is_string() ? std::string(axis.value().get_string()) : json::serialize(axis.value()));
  }
  cell.status = text_of(object, "status");
  cell.reason = text_of(object, "reason");
  cell.trials = static_cast<int>(integer_of(object, "trials"));
  cell.pages_per_s = interval_from_json(object_of(object, "pages_per_s"));
  cell.pages_per_s.n = cell.trials;
  cell.service_us_p50 = number_of(object_of(object, "service_us"), "p50");
  cell.service_us_p99 = number_of(object_of(object, "service_us"), "p99");
  cell.latency_us = latency_from_json(object_of(object, "latency_us"));
  cell.cpu = numbers_of(object, "cpu");
  cell.cpu_us_per_page = numbers_of(object, "cpu_us_per_page");
  cell.machines = numbers_of(object, "machines");
  cell.errors = count_of(object, "errors");
  cell.tls_version = text_of(object_of(object, "tls"), "version");
  cell.tls_cipher = text_of(object_of(object, "tls"), "cipher");
  cell.limited_by = text_of(object, "limited_by");
  cell.flags = texts_of(object, "flags");
  return cell;
}

json::object to_json(const PairResult& pair) {
  return {{"a", pair.a},
          {"b", pair.b},
          {"kind", pair.kind},
          {"ratio", to_json(pair.ratio, true)},
          {"noise_floor", pair.noise_floor},
          {"flags", to_array(pair.flags)}};
}

PairResult pair_from_json(const json::object& object) {
  return {text_of(object, "a"),
          text_of(object, "b"),
          text_of(object, "kind"),
          interval_from_json(object_of(object, "ratio")),
          number_of(object, "noise_floor"),
          texts_of(object, "flags")};
}

json::object to_json(const ClaimResult& claim) {
  return {{"id", claim.id},
          {"says", claim.says},
          {"kind", claim.kind},
          {"published", claim.published},
          {"measured", to_json(claim.measured, true)},
          {"verdict", claim.verdict},
          {"reason", claim.reason},
          {"of", claim.of},
          {"tolerance", claim.tolerance}};
}

ClaimResult claim_from_json(const json::object& object) {
  return {text_of(object, "id"),
          text_of(object, "says"),
          text_of(object, "kind"),
          text_of(object, "published"),
          interval_from_json(object_of(object, "measured")),
          text_of(object, "verdict"),
          text_of(object, "reason"),
          text_of(object, "of"),
          number_of(object, "tolerance")};
}

template <class T>
json::array to_array_of(const std::vector<T>& items) {
  json::array array;
  for (const T& item : items) {
    array.emplace_back(to_json(item));
  }
  return array;
}

template <class Read>
auto items_of(const json::object& object, std::string_view key, Read read) {
  std::vector<decltype(read(object))> items;
  for (const json::value& value : array_of(object, key)) {
    if (const json::object* item = value.if_object()) {
      items.push_back(read(*item));
    }
  }
  return items;
}

}  // namespace

json::object to_json(const Trial& trial) {
  json::object clocks;
  for (const auto& [node, clock] : trial.clocks) {
    clocks[node] = {{"offset_ns", clock.offset_ns}, {"error_ns", clock.error_ns}};
  }
  return {{"trial", trial.trial},
          {"kind", trial.kind},
          {"block", trial.block},
          {"order", trial.order},
          {"seed", trial.seed},
          {"sides", to_array_of(trial.sides)},
          {"ratio", trial.ratio ? json::value(*trial.ratio) : json::value()},
          {"flags", to_array(trial.flags)},
          {"notes", to_array(trial.notes)},
          {"failed", trial.failed},
          {"clocks", std::move(clocks)}};
}

Trial trial_from_json(const json::object& object) {
  Trial trial;
  trial.trial = static_cast<int>(integer_of(object, "trial"));
  trial.kind = text_of(object, "kind");
  trial.block = static_cast<int>(integer_of(object, "block"));
  trial.order = static_cast<int>(integer_of(object, "order"));
  trial.seed = count_of(object, "seed");
  trial.sides = items_of(object, "sides", side_from_json);
  if (const json::value* ratio = object.if_contains("ratio"); ratio != nullptr && ratio->is_number()) {
    trial.ratio = ratio->to_number<double>();
  }
  trial.flags = texts_of(object, "flags");
  trial.notes = texts_of(object, "notes");
  trial.failed = text_of(object, "failed");
  for (const auto& clock : object_of(object, "clocks")) {
    if (const json::object* values = clock.value().if_object()) {
      trial.clocks[clock.key()] = {integer_of(*values, "offset_ns"), integer_of(*values, "error_ns")};
    }
  }
  return trial;
}

json::object to_json(const Results& results) {
  return {{"schema", 1},
          {"cells", to_array_of(results.cells)},
          {"pairs", to_array_of(results.pairs)},
          {"claims", to_array_of(results.claims)},
          {"environment", results.environment}};
}

Results results_from_json(const json::object& object) {
  return {items_of(object, "cells", cell_from_json), items_of(object, "pairs", pair_from_json), items_of(object, "claims", claim_from_json),
          object_of(object, "environment")};
}

}  // namespace lab::store
