#include "report/claim_text.hpp"

#include "report/text.hpp"

#include <fmt/format.h>
#include <charconv>

namespace lab::report {

namespace {

std::optional<double> figure(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_share(const ClaimResult& claim) { return claim.kind == "share" || claim.kind == "below"; }

}  // namespace

std::string published_text(const ClaimResult& claim) {
  constexpr std::string_view kBelow = "below ";
  if (claim.published.starts_with(kBelow)) {
    const auto limit = figure(claim.published.substr(kBelow.size()));
    return limit ? std::string(kBelow) + percent(*limit) : claim.published;
  }
  const auto value = figure(claim.published);
  if (!value) {
    return claim.published.empty() ? "–" : claim.published;
  }
  return is_share(claim) ? percent(*value) : "×\u202f" + claim.published;  // no more digits than were published
}

std::pair<std::string, std::string> measured_parts(const ClaimResult& claim) {
  const Interval& value = claim.measured;
  if (value.n == 0) {
    return {"–", ""};
  }
  std::string median = is_share(claim) ? percent(value.median) : times(value.median);
  if (claim.kind == "order") {
    median = "least step " + median;
  }
  const std::string both = is_share(claim) ? range(value.low, value.high, percent) : ratio_range(value);
  const std::string spread = value.n > 1 ? both + ", " : "";
  return {median, fmt::format("{}n = {}{}", spread, value.n, value.n < kEnoughRepeats ? ", indicative" : "")};
}

std::string measured_text(const ClaimResult& claim) {
  const auto [median, spread] = measured_parts(claim);
  return spread.empty() ? median : fmt::format("{} ({})", median, spread);
}

std::string verdict_text(const ClaimResult& claim) { return claim.verdict == "cannot-tell" ? "cannot be told" : claim.verdict; }

std::string claim_name(const ClaimResult& claim) { return claim.of.empty() ? claim.id : claim.id + " · " + claim.of; }

std::optional<Interval> against_published(const ClaimResult& claim) {
  const auto value = figure(claim.published);
  const Interval& seen = claim.measured;
  if (!value || *value <= 0 || seen.n == 0 || seen.low <= 0 || (claim.kind != "ratio" && claim.kind != "share")) {
    return std::nullopt;
  }
  return Interval{seen.median / *value, seen.low / *value, seen.high / *value, seen.n};
}

}  // namespace lab::report
