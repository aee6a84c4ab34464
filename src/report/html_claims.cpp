#include "report/claim_text.hpp"
#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/scenario.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace lab::report {

namespace {

using Settings = std::span<const ClaimResult>;  // one claim's, a verdict each; never empty

constexpr std::array<std::string_view, 3> kVerdicts{"agrees", "differs", "cannot-tell"};

// A place on the strip: one logarithmic axis for all rows, half to twice the published figure.
constexpr double kStripWidth = 132;
double place(double ratio) {
  constexpr double kSpan = 0.75;
  return ratio <= 0 ? 3.0 : std::clamp(kStripWidth / 2 * (1 + std::log(ratio) / kSpan), 3.0, kStripWidth - 3);
}

std::string band_svg(double tolerance) {
  return tolerance <= 0 ? ""
                        : fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"1\" width=\"{:.1f}\" height=\"16\"/>", place(1 - tolerance),
                                      place(1 + tolerance) - place(1 - tolerance));
}

// Where the measured medians lie against the published figure; of a lone one its interval, too.
std::string strip_svg(Settings settings) {
  std::string marks;
  std::vector<double> medians;
  for (const ClaimResult& claim : settings) {
    const auto value = against_published(claim);
    if (!value) {
      continue;
    }
    medians.push_back(value->median);
    if (settings.size() == 1) {
      const double low = place(value->low);
      marks += fmt::format("<line class=\"interval\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"9\" y2=\"9\"/>", low,
                           std::max(place(value->high), low + 0.5));
    }
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"9\" r=\"3.5\"/>", place(value->median));
  }
  if (medians.empty()) {
    return "";
  }
  const auto [low, high] = std::ranges::minmax(medians);
  return fmt::format(
      "<svg class=\"strip\" viewBox=\"0 0 132 18\" role=\"img\" aria-label=\"measured is {} of published\">{}"
      "<line class=\"published\" x1=\"66\" x2=\"66\" y1=\"1\" y2=\"17\"/>{}</svg>",
      range(low, high, percent), band_svg(settings.front().tolerance), marks);
}

std::string badge(const ClaimResult& claim, const std::string& counted = "") {
  const char* sign = claim.verdict == "agrees" ? "✓" : claim.verdict == "differs" ? "✗" : "?";
  return fmt::format("<span class=\"verdict {}{}\"><span aria-hidden=\"true\">{}</span> {}{}</span>", escape_html(claim.verdict),
                     counted.empty() ? "" : " counted", sign, escape_html(verdict_text(claim)), counted);
}

// "agrees in all 8", or "agrees in 2" and "cannot be told in 6".
std::string badges(Settings settings) {
  std::string out;
  for (const std::string_view verdict : kVerdicts) {
    const auto n = static_cast<std::size_t>(std::ranges::count(settings, verdict, &ClaimResult::verdict));
    if (n > 0) {
      const auto& any = *std::ranges::find(settings, verdict, &ClaimResult::verdict);
      out += badge(any, n == settings.size() ? fmt::format(" in all {}", n) : fmt::format(" in {}", n)) + " ";
    }
  }
  return out;
}

using Parts = std::vector<std::string>;

Parts reasons_of(const ClaimResult& claim) {
  Parts parts;
  for (std::size_t from = 0; from < claim.reason.size();) {
    const auto end = std::min(claim.reason.find("; ", from), claim.reason.size());
    parts.push_back(claim.reason.substr(from, end - from));
    from = end + 2;
  }
  return parts;
}

// What is a reason in every setting.
Parts shared_reasons(Settings settings) {
  Parts shared = reasons_of(settings.front());
  for (const ClaimResult& claim : settings.subspan(1)) {
    const Parts own = reasons_of(claim);
    std::erase_if(shared, [&](const std::string& part) { return std::ranges::find(own, part) == own.end(); });
  }
  return shared;
}

// The first reason in sight, the others a click away where they are long.
std::string reason_html(const Parts& reasons) {
  const std::string all = join(reasons, "; ");
  if (all.size() < 160 || reasons.size() < 2) {
    return escape_html(all);
  }
  return fmt::format("{}<details><summary>more</summary>{}</details>", escape_html(reasons.front()),
                     escape_html(join({reasons.begin() + 1, reasons.end()}, "; ")));
}

// "cpus=1/clients=8" as readers say it: "1 CPU, 8 clients".
std::string setting_text(const std::string& of) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < of.size();) {
    const auto end = std::min(of.find('/', from), of.size());
    const std::string part = of.substr(from, end - from);
    const auto equals = part.find('=');
    parts.push_back(equals == std::string::npos ? part : axis_text(part.substr(0, equals), part.substr(equals + 1)));
    from = end + 1;
  }
  return join(parts, ", ");
}

std::string settings_html(Settings settings, const Parts& shared) {
  std::string items;
  for (const ClaimResult& claim : settings) {
    Parts own = reasons_of(claim);
    std::erase_if(own, [&](const std::string& part) { return std::ranges::find(shared, part) != shared.end(); });
    items += fmt::format("<li><b>{}</b>: {} {}{}{}</li>\n", escape_html(setting_text(claim.of)), escape_html(measured_text(claim)),
                         badge(claim), own.empty() ? "" : "<br>", escape_html(join(own, "; ")));
  }
  return fmt::format("<details><summary>the {} settings</summary><ul class=\"settings\">\n{}</ul></details>", settings.size(), items);
}

Td claim_td(const ClaimResult& claim, const std::string& name) {
  return td_html(fmt::format("<span>{}</span><small>{}</small>", escape_html(claim.says), breakable(name)));
}

Td measured_td(const ClaimResult& claim) {
  const auto [figure, spread] = measured_parts(claim);
  Td seen = td_html(fmt::format("<b>{}</b><small>{}</small>", escape_html(figure), escape_html(spread)));
  if (claim.measured.n > 0) {
    seen.value = claim.measured.median;
  }
  return seen;
}

// The medians of all settings, from the least to the greatest.
Td medians_td(Settings settings) {
  std::vector<const ClaimResult*> seen;
  for (const ClaimResult& claim : settings) {
    if (claim.measured.n > 0) {
      seen.push_back(&claim);
    }
  }
  if (seen.empty()) {
    return td("–");
  }
  const auto by_median = [](const ClaimResult* a, const ClaimResult* b) { return a->measured.median < b->measured.median; };
  const auto [least, most] = std::ranges::minmax_element(seen, by_median);
  constexpr std::string_view kLeast = "least step ";  // of an order; once is enough
  const std::string low = measured_parts(**least).first;
  std::string high = measured_parts(**most).first;
  if (low != high && high.starts_with(kLeast)) {
    high.erase(0, kLeast.size());
  }
  const int n = (*std::ranges::min_element(seen, {}, [](const ClaimResult* each) { return each->measured.n; }))->measured.n;
  return td_html(fmt::format("<b>{}</b><small>{}, n = {}{}</small>", escape_html(low == high ? low : low + " to " + high),
                             count(seen.size(), "median", "medians"), n, n < kEnoughRepeats ? ", indicative" : ""));
}

std::vector<Td> claim_row(Settings settings) {
  const ClaimResult& claim = settings.front();
  const Parts shared = shared_reasons(settings);
  if (settings.size() == 1) {
    return {claim_td(claim, claim_name(claim)), td(published_text(claim)), measured_td(claim),
            td_html(strip_svg(settings)),       td_html(badge(claim)),     td_html(reason_html(shared))};
  }
  return {claim_td(claim, claim.id),    td(published_text(claim)), medians_td(settings),
          td_html(strip_svg(settings)), td_html(badges(settings)), td_html(reason_html(shared) + settings_html(settings, shared))};
}

}  // namespace

std::string claims_html(const Run& run) {
  std::string out = "<section id=\"claims\">\n<h2>Published claims</h2>\n";
  if (run.results.claims.empty()) {
    return out + "<p>The playbook checks no claims.</p>\n</section>\n";
  }
  out +=
      "<p>What was published, beside the median measured here with its 95% interval (under six repeats: the range) and the number of "
      "repeats n. A claim that holds for several settings has one verdict for each. The strip shows measured ÷ published: a dot is a "
      "median, the bar its interval, the line the published figure, the band the claim’s own tolerance around it.</p>\n";
  HtmlTable table{"Published claims against this run",
                  "claims cards",
                  {{"Claim"}, {"Published", true}, {"Measured", true}, {"Measured ÷ published"}, {"Verdict"}, {"Why"}},
                  {}};
  const auto& claims = run.results.claims;
  for (auto first = claims.begin(); first != claims.end();) {
    const auto last = std::find_if(first, claims.end(), [&](const ClaimResult& each) { return each.id != first->id; });
    table.rows.push_back(claim_row({first, last}));
    first = last;
  }
  return out + to_html(table) + "</section>\n";
}

}  // namespace lab::report
