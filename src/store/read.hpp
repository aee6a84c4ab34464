// Reading JSON that may lack keys: the value where it is there and of that type, else nothing ("", 0, empty).
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lab::store {

std::string text_of(const boost::json::object& object, std::string_view key);
double number_of(const boost::json::object& object, std::string_view key);
std::uint64_t count_of(const boost::json::object& object, std::string_view key);
std::int64_t integer_of(const boost::json::object& object, std::string_view key);
const boost::json::object& object_of(const boost::json::object& object, std::string_view key);
const boost::json::array& array_of(const boost::json::object& object, std::string_view key);
std::vector<std::string> texts_of(const boost::json::object& object, std::string_view key);
std::map<std::string, double> numbers_of(const boost::json::object& object, std::string_view key);
std::map<std::string, std::uint64_t> counts_of(const boost::json::object& object, std::string_view key);

boost::json::array to_array(const std::vector<std::string>& texts);

template <class T>
boost::json::object to_object(const std::map<std::string, T>& values) {
  boost::json::object object;
  for (const auto& [key, value] : values) {
    object[key] = value;
  }
  return object;
}

}  // namespace lab::store
