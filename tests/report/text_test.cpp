#include "report/text.hpp"

using namespace lab;
using namespace lab::report;

TEST_CASE("markup in data becomes text in HTML, content and attributes alike") {
  CHECK(escape_html("<b a=\"1\" c='2'>&</b>") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
}

TEST_CASE("no script or comment can be opened or closed from embedded JSON") {
  const std::string escaped = escape_script(R"({"a":"</script><!--"})");
  CHECK(escaped == R"({"a":"\u003c/script>\u003c!--"})");
  CHECK(escaped.find('<') == std::string::npos);
}

TEST_CASE("Markdown keeps a table's cells apart") { CHECK(escape_markdown("a|b\nc*d_e`f[g<h") == "a\\|b c\\*d\\_e\\`f\\[g&lt;h"); }

TEST_CASE("CSV quotes what RFC 4180 says must be quoted") {
  CHECK(escape_csv("plain") == "plain");
  CHECK(escape_csv("a,b") == "\"a,b\"");
  CHECK(escape_csv("say \"no\"") == "\"say \"\"no\"\"\"");
}

TEST_CASE("numbers keep three figures and group thousands") {
  CHECK(number(8048.6) == "8,049");
  CHECK(number(1234567) == "1,234,567");
  CHECK(number(999.6) == "1,000");
  CHECK(number(498.4) == "498");
  CHECK(number(27.03) == "27.0");
  CHECK(number(1.314) == "1.31");
  CHECK(number(0) == "0.00");
}

TEST_CASE("shares and changes read as percent with a real minus sign") {
  CHECK(percent(0.992) == "99%");
  CHECK(percent(0.004) == "0.4%");
  CHECK(percent(0) == "0%");
  CHECK(change(1.30) == "+30%");
  CHECK(change(0.65) == "−35%");
  CHECK(change(1.043) == "+4.3%");
  CHECK(change(1.0001) == "±0%");
}

TEST_CASE("a ratio near one is read off its third digit, and its interval has as many") {
  CHECK(times(2.091) == "×\u202f2.09");
  CHECK(times(1.043) == "×\u202f1.043");
  CHECK(times(12.34) == "×\u202f12.3");
  CHECK(ratio_range({1.056, 1.028, 1.113, 6}) == "1.028–1.113");
}

TEST_CASE("under six repeats a ratio has a range and is indicative") {
  CHECK(with_interval({2.09, 1.95, 2.19, 6}) == "×\u202f2.09 (95% interval 1.95–2.19, n = 6)");
  CHECK(with_interval({2.09, 1.95, 2.19, 3}) == "×\u202f2.09 (range 1.95–2.19, n = 3, indicative)");
  CHECK(with_interval({2.09, 2.09, 2.09, 1}) == "×\u202f2.09 (n = 1, indicative)");
}

TEST_CASE("counts have all of their figures, times the unit that fits") {
  CHECK(count_text(58) == "58");
  CHECK(count_text(14870) == "14,870");
  CHECK(duration_text(968.2) == "968 µs");
  CHECK(duration_text(2094) == "2.09 ms");
  CHECK(duration_text(4'780'000) == "4.78 s");
  CHECK(times(0.0077) == "×\u202f0.0077");
}

TEST_CASE("exact figures read back as the same number") {
  CHECK(std::stod(exact(0.1)) == 0.1);
  CHECK(exact(3783) == "3783");
}

TEST_CASE("lists and counts read as English") {
  CHECK(listing({}).empty());
  CHECK(listing({"a"}) == "a");
  CHECK(listing({"a", "b"}) == "a and b");
  CHECK(listing({"a", "b", "c"}) == "a, b and c");
  CHECK(count(1, "cell", "cells") == "1 cell");
  CHECK(count(0, "cell", "cells") == "0 cells");
}
