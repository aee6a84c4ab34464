#include "ldap/dn.hpp"

#include "ldap/text.hpp"

#include <algorithm>

namespace lab::ldap {

namespace {

class DnParser {
 public:
  explicit DnParser(std::string_view text) : text_(text) {}

  std::optional<Dn> parse() {
    Dn dn;
    skip_spaces();
    while (at_ < text_.size()) {
      Rdn& rdn = dn.emplace_back();
      do {
        if (!part(rdn.emplace_back())) {
          return std::nullopt;
        }
      } while (accept('+'));
      if (at_ == text_.size()) {
        return dn;
      }
      if (!accept(',') && !accept(';')) {
        return std::nullopt;
      }
      if (at_ == text_.size()) {
        return std::nullopt;  // a name that ends in a separator
      }
    }
    return dn;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool accept(char c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      skip_spaces();
      return true;
    }
    return false;
  }

  bool part(NamePart& into) {
    const std::size_t equals = text_.find('=', at_);
    if (equals == std::string_view::npos) {
      return false;
    }
    std::string_view type = text_.substr(at_, equals - at_);
    while (type.ends_with(' ')) {
      type.remove_suffix(1);
    }
    if (!is_attribute_description(type)) {
      return false;
    }
    into.type = type;
    at_ = equals + 1;
    skip_spaces();
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    return first == '#' ? hex_value(into.value) : first == '"' ? quoted_value(into.value) : value(into.value);
  }

  static bool ends_value(char c) { return c == ',' || c == ';' || c == '+'; }

  bool value(std::string& into) {
    std::size_t kept = 0;  // trailing spaces count only when escaped
    for (; at_ < text_.size() && !ends_value(text_[at_]); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        if (!escape(into)) {
          return false;
        }
        kept = into.size();
        continue;
      }
      if (c == '"' || c == '<' || c == '>' || c == '\0') {
        return false;
      }
      into.push_back(c);
      kept = c == ' ' ? kept : into.size();
    }
    into.resize(kept);
    return true;
  }

  // "a, b": as RFC 2253 section 4 wants it still understood.
  bool quoted_value(std::string& into) {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        into.push_back(text_[at_]);
      } else if (!escape(into)) {
        return false;
      }
    }
    if (at_ == text_.size()) {
      return false;
    }
    ++at_;
    skip_spaces();
    return at_ == text_.size() || ends_value(text_[at_]);
  }

  bool escape(std::string& into) {
    const std::string_view rest = text_.substr(at_ + 1);
    const int byte = hex_byte(rest);
    if (byte >= 0) {
      into.push_back(static_cast<char>(byte));
      at_ += 2;
      return true;
    }
    constexpr std::string_view kSpecial = " \"#+,;<=>\\";
    if (rest.empty() || kSpecial.find(rest.front()) == std::string_view::npos) {
      return false;
    }
    into.push_back(rest.front());
    ++at_;
    return true;
  }

  // #04026162: the BER encoding of the value; of a short string, its content.
  bool hex_value(std::string& into) {
    std::string encoded;
    for (++at_; at_ < text_.size() && !ends_value(text_[at_]) && text_[at_] != ' '; at_ += 2) {
      const int byte = hex_byte(text_.substr(at_));
      if (byte < 0) {
        return false;
      }
      encoded.push_back(static_cast<char>(byte));
    }
    skip_spaces();
    const bool is_string =
        encoded.size() >= 2 && static_cast<unsigned char>(encoded[1]) < 0x80 && static_cast<std::size_t>(encoded[1]) == encoded.size() - 2;
    if (!is_string) {
      return false;
    }
    into = encoded.substr(2);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string rdn_text(const Rdn& rdn) {
  std::string text;
  for (const NamePart& part : rdn) {
    text += (text.empty() ? "" : "+") + part.type + '=' + escape_dn_value(part.value);
  }
  return text;
}

}  // namespace

bool is_plainly_normal(std::string_view text) {
  bool type = true;
  std::size_t length = 0;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || is_digit(c) || c == '-';
    if (type && c == '=' && length > 0) {
      type = false;
      length = 0;
    } else if (!type && c == ',' && length > 0) {
      type = true;
      length = 0;
    } else if (plain && (length > 0 || !type || is_alpha(c))) {
      ++length;
    } else {
      return false;
    }
  }
  return !type && length > 0;
}

std::optional<Dn> parse_dn(std::string_view text) { return DnParser(text).parse(); }

std::string escape_dn_value(std::string_view value) {
  constexpr std::string_view kSpecial = "\"+,;<>\\";
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const bool at_edge = (c == ' ' && (i == 0 || i + 1 == value.size())) || (c == '#' && i == 0);
    if (c == '\0') {
      append_hex_escape(text, c);
      continue;
    }
    if (at_edge || kSpecial.find(c) != std::string_view::npos) {
      text.push_back('\\');
    }
    text.push_back(c);
  }
  return text;
}

std::string to_string(const Dn& dn) {
  std::string text;
  for (const Rdn& rdn : dn) {
    text += (text.empty() ? "" : ",") + rdn_text(rdn);
  }
  return text;
}

std::string normalize(const Dn& dn) {
  Dn normal = dn;
  for (Rdn& rdn : normal) {
    for (NamePart& part : rdn) {
      std::transform(part.type.begin(), part.type.end(), part.type.begin(), to_lower);
      part.value = fold_case_and_space(part.value);
    }
    std::sort(rdn.begin(), rdn.end(),
              [](const NamePart& a, const NamePart& b) { return a.type != b.type ? a.type < b.type : a.value < b.value; });
  }
  return to_string(normal);
}

std::optional<std::string> normalize_dn(std::string_view text) {
  if (is_plainly_normal(text)) {
    return std::string(text);
  }
  const std::optional<Dn> dn = parse_dn(text);
  return dn ? std::optional(normalize(*dn)) : std::nullopt;
}

std::string_view parent_of(std::string_view normalized) {
  for (std::size_t i = 0; i < normalized.size(); ++i) {
    if (normalized[i] == '\\') {
      ++i;
    } else if (normalized[i] == ',') {
      return normalized.substr(i + 1);
    }
  }
  return {};
}

}  // namespace lab::ldap
