#include "ldap/filter.hpp"

#include "ldap/text.hpp"

namespace lab::ldap {

namespace {

using Kind = Filter::Kind;

class TextParser {
 public:
  explicit TextParser(std::string_view text) : text_(text) {}

  Result<Filter> parse() {
    Filter filter;
    const bool bare = !text_.starts_with('(');
    if (!(bare ? body(filter, 1) : parenthesised(filter, 1))) {
      return error();
    }
    if (at_ != text_.size()) {
      fail("nothing may follow the filter");
      return error();
    }
    return filter;
  }

 private:
  bool fail(const char* why) {
    if (why_.empty()) {
      why_ = why;
    }
    return false;
  }
  Error error() const {
    return Error{"bad search filter: " + why_,
                 "character " + std::to_string(at_ + 1) + " of " + std::string(text_),
                 "write it as RFC 4515 has it, e.g. (&(objectClass=person)(uid=user000001))",
                 {},
                 Failure::usage};
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool parenthesised(Filter& filter, int depth) {
    if (peek() != '(') {
      return fail("'(' expected");
    }
    ++at_;
    if (!body(filter, depth)) {
      return false;
    }
    if (peek() != ')') {
      return fail("')' expected");
    }
    ++at_;
    return true;
  }

  bool body(Filter& filter, int depth) {
    if (depth > kMaxFilterDepth) {
      return fail("nested too deeply");
    }
    switch (peek()) {
      case '&': return list(filter, Kind::all_of, depth);
      case '|': return list(filter, Kind::any_of, depth);
      case '!':
        ++at_;
        filter.kind = Kind::negation;
        return parenthesised(filter.children.emplace_back(), depth + 1);
      default: return item(filter);
    }
  }

  bool list(Filter& filter, Kind kind, int depth) {
    ++at_;
    filter.kind = kind;
    while (peek() == '(') {
      if (++items_ > kMaxFilterItems) {
        return fail("too many items");
      }
      if (!parenthesised(filter.children.emplace_back(), depth + 1)) {
        return false;
      }
    }
    return true;
  }

  bool item(Filter& filter) {
    const std::size_t name_end = text_.find_first_of("=~<>:()", at_);
    if (name_end == std::string_view::npos || text_[name_end] == '(' || text_[name_end] == ')') {
      return fail("an attribute and '=' expected");
    }
    filter.attribute = text_.substr(at_, name_end - at_);
    at_ = name_end;
    if (peek() == ':') {
      return extensible(filter);
    }
    if (filter.attribute.empty()) {
      return fail("an attribute expected");
    }
    filter.kind = peek() == '~'   ? Kind::approximate
                  : peek() == '<' ? Kind::less_or_equal
                  : peek() == '>' ? Kind::greater_or_equal
                                  : Kind::equality;
    if (filter.kind != Kind::equality) {
      ++at_;
    }
    if (peek() != '=') {
      return fail("'=' expected");
    }
    ++at_;
    return filter.kind == Kind::equality ? equality_or_pieces(filter) : value(filter.value);
  }

  // attr[:dn][:rule]:=value
  bool extensible(Filter& filter) {
    filter.kind = Kind::extensible;
    while (peek() == ':') {
      ++at_;
      if (peek() == '=') {
        ++at_;
        if (filter.attribute.empty() && filter.matching_rule.empty()) {
          return fail("an attribute or a matching rule expected");
        }
        return value(filter.value);
      }
      const std::size_t end = text_.find_first_of(":()", at_);
      const std::string_view part = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
      if (equal_ignoring_case(part, "dn") && !filter.dn_attributes && filter.matching_rule.empty()) {
        filter.dn_attributes = true;
      } else if (!part.empty() && filter.matching_rule.empty()) {
        filter.matching_rule = part;
      } else {
        return fail("':=' expected");
      }
      at_ += part.size();
    }
    return fail("':=' expected");
  }

  bool equality_or_pieces(Filter& filter) {
    std::vector<std::string> pieces(1);
    if (!value(pieces.back())) {
      return false;
    }
    while (peek() == '*') {
      ++at_;
      if (!value(pieces.emplace_back())) {
        return false;
      }
    }
    if (pieces.size() == 1) {
      filter.value = std::move(pieces.front());
      return true;
    }
    if (pieces.size() == 2 && pieces[0].empty() && pieces[1].empty()) {
      filter.kind = Kind::present;
      return true;
    }
    filter.kind = Kind::substrings;
    filter.initial = std::move(pieces.front());
    filter.final = std::move(pieces.back());
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
      if (pieces[i].empty()) {
        return fail("two '*' in a row");
      }
      filter.any.push_back(std::move(pieces[i]));
    }
    return true;
  }

  // Up to ')', '*' or the end; \xx is one byte.
  bool value(std::string& into) {
    for (; at_ < text_.size() && text_[at_] != ')' && text_[at_] != '*'; ++at_) {
      if (text_[at_] == '(') {
        return fail("'(' in a value is written \\28");
      }
      if (text_[at_] != '\\') {
        into.push_back(text_[at_]);
        continue;
      }
      const int byte = hex_byte(text_.substr(at_ + 1));
      if (byte < 0) {
        return fail("'\\' wants two hexadecimal digits");
      }
      into.push_back(static_cast<char>(byte));
      at_ += 2;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int items_ = 0;
  std::string why_;
};

std::string join(const Filter& filter, char sign) {
  std::string text(1, sign);
  for (const Filter& child : filter.children) {
    text += to_string(child);
  }
  return text;
}

std::string pieces_text(const Filter& filter) {
  std::string text = filter.attribute + '=' + escape_filter_value(filter.initial) + '*';
  for (const std::string& piece : filter.any) {
    text += escape_filter_value(piece) + '*';
  }
  return text + escape_filter_value(filter.final);
}

std::string body_text(const Filter& filter) {
  const auto simple = [&filter](const char* sign) { return filter.attribute + sign + escape_filter_value(filter.value); };
  switch (filter.kind) {
    case Kind::all_of: return join(filter, '&');
    case Kind::any_of: return join(filter, '|');
    case Kind::negation: return join(filter, '!');
    case Kind::equality: return simple("=");
    case Kind::substrings: return pieces_text(filter);
    case Kind::greater_or_equal: return simple(">=");
    case Kind::less_or_equal: return simple("<=");
    case Kind::present: return filter.attribute + "=*";
    case Kind::approximate: return simple("~=");
    case Kind::extensible:
      return filter.attribute + (filter.dn_attributes ? ":dn" : "") + (filter.matching_rule.empty() ? "" : ":" + filter.matching_rule) +
             ":=" + escape_filter_value(filter.value);
  }
  return {};
}

}  // namespace

Filter equality(std::string attribute, std::string value) { return {Kind::equality, std::move(attribute), std::move(value)}; }
Filter present(std::string attribute) { return {Kind::present, std::move(attribute), {}}; }
Filter all_of(std::vector<Filter> children) { return {Kind::all_of, {}, {}, std::move(children)}; }

std::string escape_filter_value(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '*' || c == '(' || c == ')' || c == '\\' || c == '\0') {
      append_hex_escape(text, c);
    } else {
      text.push_back(c);
    }
  }
  return text;
}

Result<Filter> parse_filter(std::string_view text) { return TextParser(text).parse(); }

std::string to_string(const Filter& filter) { return '(' + body_text(filter) + ')'; }

}  // namespace lab::ldap
