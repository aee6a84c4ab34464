#include "report/text.hpp"

#include <fmt/format.h>
#include <array>
#include <charconv>
#include <cmath>

namespace lab::report {

namespace {

constexpr std::string_view kThin = "\u202f";  // narrow no-break space

template <class Replace>
std::string replaced(std::string_view text, Replace replace) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    if (const std::string_view with = replace(c); !with.empty()) {
      out += with;
    } else {
      out += c;
    }
  }
  return out;
}

// A few percent are read off the third digit.
int ratio_digits(double ratio) { return ratio >= 9.995 ? 1 : ratio >= 0.9 && ratio < 1.1 ? 3 : ratio < 0.095 ? 4 : 2; }

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (digits.front() == '-' ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace

std::string escape_html(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
      default: return {};
    }
  });
}

std::string escape_script(std::string_view json) {
  return replaced(json, [](char c) -> std::string_view { return c == '<' ? "\\u003c" : ""; });
}

std::string escape_markdown(std::string_view text) {
  return replaced(text, [](char c) -> std::string_view {
    switch (c) {
      case '|': return "\\|";
      case '*': return "\\*";
      case '_': return "\\_";
      case '`': return "\\`";
      case '[': return "\\[";
      case '\\': return "\\\\";
      case '<': return "&lt;";
      case '&': return "&amp;";
      case '\n':
      case '\r': return " ";
      default: return {};
    }
  });
}

std::string escape_csv(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  return '"' + replaced(text, [](char c) -> std::string_view { return c == '"' ? "\"\"" : ""; }) + '"';
}

std::string number(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) {
    return grouped(value);
  }
  return size >= 99.95 ? fmt::format("{:.0f}", value) : size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string count_text(std::uint64_t count) { return grouped(static_cast<double>(count)); }

std::string duration_text(double us) {
  return us < 999.5 ? number(us) + " µs" : us < 999'500 ? number(us / 1e3) + " ms" : number(us / 1e6) + " s";
}

std::string percent(double share) {
  const double value = share * 100;
  return std::abs(value) >= 9.95 || value == 0 ? fmt::format("{:.0f}%", value) : fmt::format("{:.1f}%", value);
}

std::string plain_ratio(double ratio) { return fmt::format("{:.{}f}", ratio, ratio_digits(ratio)); }

std::string ratio_range(const Interval& ratio) {
  const int digits = ratio_digits(ratio.median);
  return fmt::format("{:.{}f}–{:.{}f}", ratio.low, digits, ratio.high, digits);
}

std::string times(double ratio) { return fmt::format("×{}{}", kThin, plain_ratio(ratio)); }

std::string change(double ratio) {
  const std::string size = percent(std::abs(ratio - 1));
  return size == "0%" || size == "0.0%" ? "±0%" : (ratio < 1 ? "−" : "+") + size;
}

std::string range(double low, double high, std::string (*as)(double)) {
  const std::string first = as(low), last = as(high);
  return first == last ? first : first + "–" + last;
}

std::string exact(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string with_interval(const Interval& ratio) {
  const std::string_view note = ratio.n < kEnoughRepeats ? ", indicative" : "";
  if (ratio.n < 2) {
    return fmt::format("{} (n = {}{})", times(ratio.median), ratio.n, note);
  }
  return fmt::format("{} ({} {}, n = {}{})", times(ratio.median), ratio.n < kEnoughRepeats ? "range" : "95% interval", ratio_range(ratio),
                     ratio.n, note);
}

std::vector<std::string> doubts(const std::vector<std::string>& flags) {
  std::vector<std::string> out = flags;
  std::erase(out, "indicative");
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string listing(const std::vector<std::string>& parts) {
  if (parts.size() < 2) {
    return parts.empty() ? "" : parts.front();
  }
  const std::vector<std::string> head(parts.begin(), parts.end() - 1);
  return join(head, ", ") + " and " + parts.back();
}

std::string count(std::size_t n, std::string_view one, std::string_view many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

}  // namespace lab::report
