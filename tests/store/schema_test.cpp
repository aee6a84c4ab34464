// schemas/results.schema.json says what store::to_json writes, and what a run's results.json holds.
#include "json_schema.hpp"
#include "store/json.hpp"

#include <catch2/catch.hpp>

using namespace lab;
namespace json = boost::json;

namespace {

json::value read(const std::string& path) {
  std::ifstream in(LAB_SOURCE_DIR "/tests/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return json::parse(text.str());
}

const std::vector<std::string> kNone;

}  // namespace

TEST_CASE("results.json of a whole run is as its schema says") {
  test::JsonSchema schema("results");
  const json::value run = read("report/fixture/results.json");
  CHECK(schema.violations(run) == kNone);
  CHECK(schema.violations(store::to_json(store::results_from_json(run.as_object()))) == kNone);
  CHECK(schema.violations(read("store/golden/results.json")) == kNone);
}

TEST_CASE("every key that is written is one of the schema, and must be there") {
  test::JsonSchema schema("results");
  Results results;
  results.cells.emplace_back().id = "1/cpus=1";
  results.pairs.push_back({"a", "b", "pair", {}, 0, {}});
  results.claims.emplace_back().kind = "ratio";
  CHECK(schema.violations(store::to_json(results)) == kNone);
  for (const char* part : {"cells", "pairs", "claims"}) {
    const json::object whole = store::to_json(results);
    for (const auto& [key, value] : whole.at(part).at(0).as_object()) {
      json::object less = whole;
      less.at(part).at(0).as_object().erase(key);
      CHECK(schema.violations(less) == std::vector{"/" + std::string(part) + "/0: " + std::string(key) + " is missing"});
    }
  }
}

TEST_CASE("what the schema does not allow is found") {
  test::JsonSchema schema("results");
  json::object results = store::to_json(Results{});
  results["more"] = 1;
  results["schema"] = 2;
  CHECK(schema.violations(results) == std::vector<std::string>{": more is not known", "/schema: const 1, but it is 2"});
}
