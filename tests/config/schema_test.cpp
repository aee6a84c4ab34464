// The JSON Schemas for editors know the same keys as the readers.
#include "config/config.hpp"
#include "config/keys.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch.hpp>

namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

lab::config::Keys keys_of_schema(const std::string& name) {
  const auto text = lab::config::read_file(LAB_SOURCE_DIR "/schemas/" + name + ".schema.json");
  const boost::json::object schema = boost::json::parse(text.value()).as_object();
  lab::config::Keys keys;
  const auto add = [&](const std::string& object, const boost::json::object& part) {
    CHECK_FALSE(part.at("additionalProperties").as_bool());
    for (const auto& property : part.at("properties").as_object()) {
      keys[object].emplace_back(property.key());
    }
  };
  add(name, schema);
  for (const auto& definition : schema.at("$defs").as_object()) {
    add(definition.key(), definition.value().as_object());
  }
  return keys;
}

void check_same(lab::config::Keys reader, const std::string& schema) {
  const lab::config::Keys known = keys_of_schema(schema);
  CHECK(reader.size() == known.size());
  for (const auto& [object, keys] : reader) {
    CAPTURE(object);
    REQUIRE(known.contains(object));
    CHECK(sorted(keys) == sorted(known.at(object)));
  }
}

}  // namespace

TEST_CASE("the schema of lab files knows the reader's keys") { check_same(lab::config::lab_keys(), "lab"); }

TEST_CASE("the schema of playbooks knows the reader's keys") { check_same(lab::config::playbook_keys(), "playbook"); }

TEST_CASE("docs/files.md tells every key of labs and playbooks") {
  const std::string page = lab::config::read_file(LAB_SOURCE_DIR "/docs/files.md").value();
  for (const lab::config::Keys& known : {lab::config::lab_keys(), lab::config::playbook_keys()}) {
    for (const auto& [object, keys] : known) {
      for (const std::string& key : keys) {
        CAPTURE(object, key);
        CHECK(page.find("`" + key + "`") != std::string::npos);
      }
    }
  }
}
