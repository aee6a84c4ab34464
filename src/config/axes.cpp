#include "config/axes.hpp"

#include "lab/units.hpp"

#include <algorithm>
#include <cstdlib>

namespace lab::config {

namespace {

constexpr std::string_view kScenario = "scenario";
constexpr double kMostCpus = 1024;
constexpr std::int64_t kMostClients = 10'000;
constexpr std::int64_t kMostGuests = 250;
constexpr std::size_t kMostValuesOfAnAxis = 100;

// Two spellings of one value are the same point: 1 and 1.0, 1KB and 1024.
bool same_value(std::string_view axis, const std::string& a, const std::string& b) {
  if (axis == "page") {
    return parse_size(a) == parse_size(b);
  }
  if (axis == "cpus" || axis == "clients" || axis == "busy") {
    return std::strtod(a.c_str(), nullptr) == std::strtod(b.c_str(), nullptr);
  }
  return a == b;
}

std::vector<std::string> distinct_values(Cursor at) {
  std::vector<std::string> values;
  const auto read = [&](Cursor one) -> std::optional<std::string> {
    auto value = axis_value(one, at.key);
    const auto same = [&](const std::string& known) { return same_value(at.key, known, *value); };
    if (value && std::any_of(values.begin(), values.end(), same)) {
      return one.refuse("axis `" + std::string(at.key) + "` has " + shown(*value) + " twice", "keep one of them");
    }
    if (value) {
      values.push_back(*value);
    }
    return value;
  };
  one_or_more(at, read);
  if (at.value.kind == Value::Kind::list && at.value.items.empty()) {
    at.refuse("axis `" + std::string(at.key) + "` has no values", "give it one, or take the axis out");
  }
  if (values.size() > kMostValuesOfAnAxis) {
    at.refuse("axis `" + std::string(at.key) + "` has more than " + std::to_string(kMostValuesOfAnAxis) + " values", "take some out");
  }
  return values;
}

}  // namespace

std::vector<std::string> axis_names() { return {std::begin(kAxes), std::end(kAxes)}; }

std::optional<std::string> axis_value(Cursor at, std::string_view axis) {
  if (axis == "log" && at.value.kind == Value::Kind::null) {
    return at.refuse("`log` wants one of file, own-disk, null, not nothing", "put \"null\" in quotes");
  }
  bool good = false;
  if (axis == "page") {
    good = size(at).has_value();
  } else if (axis == "cpus") {
    good = number(at, 0.01, kMostCpus).has_value();
  } else if (axis == "clients") {
    good = integer(at, 1, kMostClients).has_value();
  } else if (axis == "busy") {
    good = integer(at, 0, kMostGuests).has_value();
  } else if (axis == "crypto") {
    good = choose(at, {"software", "hardware", "adapter"}).has_value();
  } else if (axis == "log") {
    good = choose(at, {"file", "own-disk", "null"}).has_value();
  } else {
    good = name(at).has_value();
  }
  return good ? std::optional(at.value.text) : std::nullopt;
}

std::vector<AxisValues> read_axes(Cursor at, std::string_view what) {
  std::vector<AxisValues> axes;
  if (!check_keys(at, what, axis_names())) {
    return axes;
  }
  for (const Entry& entry : at.value.entries) {
    const auto names = axis_names();
    if (std::find(names.begin(), names.end(), entry.key) != names.end()) {
      axes.emplace_back(entry.key, distinct_values(Cursor{entry.value, entry.key, at.errors}));
    }
  }
  return axes;
}

std::vector<std::string> selector_keys() {
  auto keys = axis_names();
  keys.insert(keys.begin(), std::string(kScenario));
  return keys;
}

Selector read_selector(Cursor at, std::string_view what) {
  Selector selector;
  if (!check_keys(at, what, selector_keys())) {
    return selector;
  }
  for (const Entry& entry : at.value.entries) {
    const Cursor one{entry.value, entry.key, at.errors};
    const auto keys = selector_keys();
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
      continue;
    }
    if (auto value = entry.key == kScenario ? name(one) : axis_value(one, entry.key)) {
      selector.emplace(entry.key, std::move(*value));
    }
  }
  return selector;
}

const std::vector<std::string>* values_of(const std::vector<AxisValues>& axes, std::string_view axis) {
  const auto at = std::find_if(axes.begin(), axes.end(), [&](const AxisValues& one) { return one.first == axis; });
  return at == axes.end() ? nullptr : &at->second;
}

}  // namespace lab::config
