// As much of JSON Schema (draft 2020-12) as the project's schemas of its own output use.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lab::test {

class JsonSchema {
 public:
  // "results": schemas/results.schema.json.
  explicit JsonSchema(const std::string& name) {
    std::ifstream in(LAB_SOURCE_DIR "/schemas/" + name + ".schema.json");
    std::ostringstream text;
    text << in.rdbuf();
    root_ = boost::json::parse(text.str()).as_object();
  }

  // "/cells/0: errors is missing"; a keyword that is not known here is one, too.
  std::vector<std::string> violations(const boost::json::value& value) {
    found_.clear();
    check(value, root_, "");
    return found_;
  }

 private:
  using Value = boost::json::value;
  using Object = boost::json::object;

  static bool is(const Value& value, std::string_view type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "integer" ? value.is_int64() || value.is_uint64()
           : type == "number"  ? value.is_number()
           : type == "null"    ? value.is_null()
                               : false;
  }

  static bool is_one_of(const Value& value, const Value& types) {
    const auto fits = [&](const Value& type) { return is(value, type.as_string()); };
    return types.is_array() ? std::any_of(types.as_array().begin(), types.as_array().end(), fits) : fits(types);
  }

  void check(const Value& value, const Object& schema, const std::string& at) {
    for (const auto& [key, rule] : schema) {
      const auto violated = [&, word = key](bool bad) {
        if (bad) {
          found_.push_back(at + ": " + std::string(word) + " " + serialize(schema.at(word)) + ", but it is " + serialize(value));
        }
      };
      if (key == "$ref") {
        const std::string name(rule.as_string());
        check(value, root_.at("$defs").as_object().at(name.substr(std::string("#/$defs/").size())).as_object(), at);
      } else if (key == "type") {
        violated(!is_one_of(value, rule));
      } else if (key == "const") {
        violated(value != rule);
      } else if (key == "enum") {
        violated(std::find(rule.as_array().begin(), rule.as_array().end(), value) == rule.as_array().end());
      } else if (key == "minimum") {
        violated(value.is_number() && value.to_number<double>() < rule.to_number<double>());
      } else if (key == "minLength") {
        violated(value.is_string() && value.as_string().size() < rule.to_number<std::size_t>());
      } else if (key == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.as_array().size(); ++i) {
          check(value.as_array()[i], rule.as_object(), at + "/" + std::to_string(i));
        }
      } else if (key == "required") {
        for (const Value& name : rule.as_array()) {
          if (value.is_object() && !value.as_object().contains(name.as_string())) {
            found_.push_back(at + ": " + std::string(name.as_string()) + " is missing");
          }
        }
      } else if (key == "properties") {
        for (const auto& [name, part] : rule.as_object()) {
          if (const Value* inner = value.is_object() ? value.as_object().if_contains(name) : nullptr; inner != nullptr) {
            check(*inner, part.as_object(), at + "/" + std::string(name));
          }
        }
      } else if (key == "additionalProperties") {
        check_others(value, schema, rule, at);
      } else if (key == "anyOf") {
        check_any(value, rule.as_array(), at);
      } else if (key != "$schema" && key != "$defs" && key != "title" && key != "description") {
        found_.push_back(at + ": the keyword " + std::string(key) + " is not known to this check");
      }
    }
  }

  // What the first one says against it, where all say something.
  void check_any(const Value& value, const boost::json::array& rules, const std::string& at) {
    const std::vector<std::string> before = found_;
    std::vector<std::string> first;
    for (const Value& rule : rules) {
      check(value, rule.as_object(), at);
      if (found_.size() == before.size()) {
        return;
      }
      first = first.empty() ? found_ : first;
      found_ = before;
    }
    found_ = first;
  }

  void check_others(const Value& value, const Object& schema, const Value& rule, const std::string& at) {
    if (!value.is_object()) {
      return;
    }
    const Value* named = schema.if_contains("properties");
    for (const auto& [name, inner] : value.as_object()) {
      if (named != nullptr && named->as_object().contains(name)) {
        continue;
      }
      if (rule.is_object()) {
        check(inner, rule.as_object(), at + "/" + std::string(name));
      } else if (!rule.as_bool()) {
        found_.push_back(at + ": " + std::string(name) + " is not known");
      }
    }
  }

  Object root_;
  std::vector<std::string> found_;
};

}  // namespace lab::test
