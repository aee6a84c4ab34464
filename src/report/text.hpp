// Numbers and intervals as a reader sees them, and the escapes that keep data from becoming markup.
#pragma once

#include "lab/results.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::report {

// & < > " ' as entities: for element content and quoted attributes alike.
std::string escape_html(std::string_view text);

// JSON for a <script> element: every "<" becomes \u003c, so that no "</script" or "<!--" is left.
std::string escape_script(std::string_view json);

// Markdown table cells and sentences: | * _ ` < [ \ escaped, line ends become spaces.
std::string escape_markdown(std::string_view text);

// RFC 4180: quoted where it holds a comma, a quote or a line end.
std::string escape_csv(std::string_view text);

std::string number(double value);      // three figures at least, thousands grouped: "8,049", "498", "27.0", "1.31"
std::string count_text(std::uint64_t count);  // all of its figures, thousands grouped: "58", "14,870"
std::string duration_text(double us);  // "850 µs", "1.23 ms", "10.0 s"
std::string percent(double share);     // 0.992 → "99%", 0.004 → "0.4%"
std::string times(double ratio);       // "× 2.09", with a narrow no-break space
std::string change(double ratio);      // 1.30 → "+30%", 0.65 → "−35%", 1.043 → "+4.3%"
std::string range(double low, double high, std::string (*as)(double));  // "1.95–2.19"; one figure where both read alike
std::string plain_ratio(double ratio);                                  // "2.09"; near 1 "1.043"
std::string ratio_range(const Interval& ratio);                         // "1.95–2.19", as many digits as the median has
std::string exact(double value);                                        // shortest text that reads back as the same double: for CSV

// "× 2.09 (95% interval 1.95–2.19, n = 6)"; under 6 repeats "× 2.09 (range 1.95–2.19, n = 3, indicative)".
std::string with_interval(const Interval& ratio);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string listing(const std::vector<std::string>& parts);                     // "a", "a and b", "a, b and c"
std::string count(std::size_t n, std::string_view one, std::string_view many);  // "1 cell", "3 cells"

// Flags without "indicative", which stands with each number's n already and would drown the others.
std::vector<std::string> doubts(const std::vector<std::string>& flags);

inline constexpr int kEnoughRepeats = 6;  // under this no 95% interval of a median exists: "indicative"

}  // namespace lab::report
