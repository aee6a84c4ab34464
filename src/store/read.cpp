#include "read.hpp"

#include <boost/json.hpp>

namespace lab::store {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

double number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0.0;
}

std::uint64_t count_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) {
    return 0;
  }
  json::error_code ignored;
  const auto number = value->to_number<std::uint64_t>(ignored);
  return ignored ? 0 : number;
}

std::int64_t integer_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) {
    return 0;
  }
  json::error_code ignored;
  const auto number = value->to_number<std::int64_t>(ignored);
  return ignored ? 0 : number;
}

const json::object& object_of(const json::object& object, std::string_view key) {
  static const json::object none;
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : none;
}

const json::array& array_of(const json::object& object, std::string_view key) {
  static const json::array none;
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_array() ? value->get_array() : none;
}

std::vector<std::string> texts_of(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const json::value& value : array_of(object, key)) {
    if (value.is_string()) {
      texts.emplace_back(value.get_string());
    }
  }
  return texts;
}

std::map<std::string, double> numbers_of(const json::object& object, std::string_view key) {
  std::map<std::string, double> numbers;
  for (const auto& item : object_of(object, key)) {
    if (item.value().is_number()) {
      numbers[std::string(item.key())] = item.value().to_number<double>();
    }
  }
  return numbers;
}

std::map<std::string, std::uint64_t> counts_of(const json::object& object, std::string_view key) {
  std::map<std::string, std::uint64_t> counts;
  const json::object& inner = object_of(object, key);
  for (const auto& item : inner) {
    counts[std::string(item.key())] = count_of(inner, item.key());
  }
  return counts;
}

json::array to_array(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) {
    array.emplace_back(text);
  }
  return array;
}

}  // namespace lab::store
