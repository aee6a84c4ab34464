#include "lab/units.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace lab {

namespace {

struct Unit {
  std::string_view suffix;
  double factor;
};

// Longest suffix first, so that "ms" is not read as "s".
constexpr std::array<Unit, 4> kSizes{{{"GB", 1073741824.0}, {"MB", 1048576.0}, {"KB", 1024.0}, {"B", 1.0}}};
constexpr std::array<Unit, 6> kDurations{{{"ms", 1e6}, {"us", 1e3}, {"ns", 1.0}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};

template <std::size_t N>
std::optional<double> parse(std::string_view text, const std::array<Unit, N>& units, double bare) {
  double factor = bare;
  for (const Unit& unit : units) {
    if (text.ends_with(unit.suffix)) {
      factor = unit.factor;
      text.remove_suffix(unit.suffix.size());
      break;
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty() || value < 0) {
    return std::nullopt;
  }
  value *= factor;
  return value < 9e18 ? std::optional(value) : std::nullopt;
}

std::string shortest(double value, int digits) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  std::string text(buffer.data(), error == std::errc{} ? end : buffer.data());
  while (text.find('.') != std::string::npos && (text.back() == '0' || text.back() == '.')) {
    const bool point = text.back() == '.';
    text.pop_back();
    if (point) {
      break;
    }
  }
  return text;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto value = parse(text, kSizes, 1.0);
  const bool fine_grained = text.ends_with("KB") || text.ends_with("MB") || text.ends_with("GB");
  if (!value || (*value > 0 && *value < 1) || (!fine_grained && *value != std::floor(*value))) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(std::floor(*value));
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const auto value = parse(text, kDurations, 1e9);
  return value ? std::optional(std::chrono::nanoseconds(std::llround(*value))) : std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
  for (const Unit& unit : kSizes) {
    for (int digits = 0; digits <= 1 && static_cast<double>(bytes) >= unit.factor; ++digits) {
      const double scale = digits == 0 ? 1.0 : 10.0;
      std::string text = shortest(std::ceil(static_cast<double>(bytes) / unit.factor * scale) / scale, digits) + std::string(unit.suffix);
      if (parse_size(text) == bytes) {
        return text;
      }
    }
  }
  return std::to_string(bytes) + "B";
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto ns = static_cast<double>(duration.count());
  if (ns >= 60e9) {
    const auto seconds = static_cast<long long>(std::llround(ns / 1e9));
    std::string text;
    if (seconds >= 3600) {
      text += std::to_string(seconds / 3600) + "h";
    }
    if (seconds % 3600 >= 60) {
      text += std::to_string(seconds % 3600 / 60) + "m";
    }
    if (seconds % 60 != 0) {
      text += std::to_string(seconds % 60) + "s";
    }
    return text;
  }
  if (ns >= 1e9) {
    return shortest(ns / 1e9, 1) + "s";
  }
  if (ns >= 1e6) {
    return shortest(ns / 1e6, 1) + "ms";
  }
  return ns >= 1e3 ? shortest(ns / 1e3, 1) + "us" : shortest(ns, 0) + "ns";
}

}  // namespace lab
