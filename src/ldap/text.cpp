#include "ldap/text.hpp"

namespace lab::ldap {

std::string fold_case_and_space(std::string_view value) {
  std::string folded;
  folded.reserve(value.size());
  for (const char c : value) {
    if (c == ' ' && (folded.empty() || folded.back() == ' ')) {
      continue;
    }
    folded.push_back(to_lower(c));
  }
  if (!folded.empty() && folded.back() == ' ') {
    folded.pop_back();
  }
  return folded;
}

bool is_attribute_description(std::string_view text) {
  const auto keychar = [](char c) { return is_alpha(c) || is_digit(c) || c == '-'; };
  const std::string_view type = text.substr(0, text.find(';'));
  if (type.empty()) {
    return false;
  }
  const bool numeric = is_digit(type.front());
  for (std::size_t i = 0; i < type.size(); ++i) {
    const bool dot = type[i] == '.' && i > 0 && type[i - 1] != '.' && i + 1 < type.size();
    if (numeric ? !is_digit(type[i]) && !dot : !keychar(type[i])) {
      return false;
    }
  }
  if (!numeric && !is_alpha(type.front())) {
    return false;
  }
  const std::string_view options = text.substr(type.size());
  return std::all_of(options.begin(), options.end(), [&keychar](char c) { return keychar(c) || c == ';'; }) &&
         options.find(";;") == std::string_view::npos && !options.ends_with(';');
}

}  // namespace lab::ldap
