#include "report/claim_text.hpp"

using namespace lab;
using namespace lab::report;

namespace {

ClaimResult claim(const std::string& kind, const std::string& published, Interval measured) {
  ClaimResult result;
  result.id = "log-8";
  result.kind = kind;
  result.published = published;
  result.measured = measured;
  return result;
}

}  // namespace

TEST_CASE("a claim prints by its kind") {
  CHECK(published_text(claim("ratio", "1.043", {})) == "×\u202f1.043");
  CHECK(published_text(claim("share", "0.85", {})) == "85%");
  CHECK(published_text(claim("below", "below 0.05", {})) == "below 5.0%");
  CHECK(published_text(claim("order", "order", {})) == "order");
  CHECK(measured_text(claim("ratio", "1.9", {2.09, 1.95, 2.19, 6})) == "×\u202f2.09 (1.95–2.19, n = 6)");
  CHECK(measured_text(claim("share", "0.85", {0.99, 0.98, 1.0, 6})) == "99% (98%–100%, n = 6)");
  CHECK(measured_text(claim("order", "order", {1.2, 1.15, 1.3, 6})) == "least step ×\u202f1.20 (1.15–1.30, n = 6)");
}

TEST_CASE("nothing measured is a dash, few repeats are indicative") {
  CHECK(measured_text(claim("ratio", "3", {})) == "–");
  CHECK(measured_text(claim("ratio", "1.9", {2.09, 1.95, 2.19, 3})) == "×\u202f2.09 (1.95–2.19, n = 3, indicative)");
}

TEST_CASE("a strip is drawn only where both sides are figures") {
  CHECK(against_published(claim("ratio", "1.9", {2.09, 1.9, 2.28, 6}))->high == Approx(1.2));
  CHECK_FALSE(against_published(claim("order", "order", {1.2, 1.1, 1.3, 6})));
  CHECK_FALSE(against_published(claim("ratio", "1.9", {})));
}

TEST_CASE("a claim with open axes is named with them") {
  ClaimResult result = claim("ratio", "1.9", {});
  CHECK(claim_name(result) == "log-8");
  result.of = "cpus=1";
  CHECK(claim_name(result) == "log-8 · cpus=1");
}
