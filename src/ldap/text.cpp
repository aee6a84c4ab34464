#include "ldap/text.hpp"

#include "ldap/unicode.hpp"

namespace lab::ldap {

namespace {

std::string squeeze_spaces_of(std::string_view value) {
  std::string squeezed;
  squeezed.reserve(value.size());
  for (const char c : value) {
    if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) {
      squeezed.push_back(c);
    }
  }
  if (squeezed.ends_with(' ')) {
    squeezed.pop_back();
  }
  return squeezed;
}

}  // namespace

bool is_ascii(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string squeeze_spaces(std::string_view value, bool fold) {
  if (!is_ascii(value)) {
    return squeeze_spaces_of(compose(value, fold));
  }
  std::string squeezed = squeeze_spaces_of(value);
  if (fold) {
    std::transform(squeezed.begin(), squeezed.end(), squeezed.begin(), to_lower);
  }
  return squeezed;
}

std::string fold_case_and_space(std::string_view value) { return squeeze_spaces(value, true); }

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
