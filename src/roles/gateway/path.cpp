#include "roles/gateway/path.hpp"

#include "http/message.hpp"

#include <array>

namespace lab::gateway {

namespace {

enum class Kind : unsigned char { plain, slash, dot, percent, escape, parameter, forbidden };

// How a raw byte of a path is taken. plain: pchar of RFC 3986 but for those that need a look.
constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  kinds.fill(Kind::escape);
  for (int c = 0; c <= 0x20; ++c) {
    kinds[static_cast<std::size_t>(c)] = Kind::forbidden;
  }
  kinds[0x7f] = kinds['\\'] = kinds['#'] = Kind::forbidden;
  for (const char c : std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,=:@"}) {
    kinds[static_cast<unsigned char>(c)] = Kind::plain;
  }
  kinds['/'] = Kind::slash;
  kinds['.'] = Kind::dot;
  kinds['%'] = Kind::percent;
  kinds[';'] = Kind::parameter;
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_escaped(std::string& out, char c) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += digits[byte >> 4U];
  out += digits[byte & 15U];
}

// One raw character or escape at text[at], appended in its normal form; false: not allowed.
bool append_normal(std::string& out, std::string_view text, std::size_t& at) {
  const char c = text[at];
  switch (kind_of(c)) {
    case Kind::plain:
    case Kind::slash:
    case Kind::dot:
    case Kind::parameter: out += c; break;
    case Kind::escape: append_escaped(out, c); break;
    case Kind::forbidden: return false;
    case Kind::percent: {
      const int high = at + 2 < text.size() ? hex_value(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_value(text[at + 2]) : -1;
      if (high < 0 || low < 0) {
        return false;
      }
      const char decoded = static_cast<char>(high * 16 + low);
      const auto byte = static_cast<unsigned char>(decoded);
      if (byte < 0x20 || byte == 0x7f || decoded == '/' || decoded == '\\') {
        return false;
      }
      if (is_unreserved(decoded)) {
        out += decoded;
      } else {
        append_escaped(out, decoded);
      }
      at += 2;
      break;
    }
  }
  ++at;
  return true;
}

// Resolves the segment that was just completed in `out` from `start` (after its '/'); false: above the root.
bool resolve_segment(std::string& out, std::size_t start, bool last) {
  const std::string_view segment = std::string_view{out}.substr(start);
  if (segment == "." || segment.empty()) {
    out.resize(start);
    return true;
  }
  if (segment == "..") {
    if (start < 2) {
      return false;
    }
    out.resize(out.rfind('/', start - 2) + 1);
    return true;
  }
  if (const auto semicolon = segment.find(';'); semicolon != std::string_view::npos) {
    const std::string_view name = segment.substr(0, semicolon);
    if (name == "." || name == ".." || (name.empty() && !last)) {
      return false;
    }
  }
  if (!last) {
    out += '/';
  }
  return true;
}

bool is_plain(std::string_view path) {
  char before = 'x';
  for (const char c : path) {
    const Kind kind = kind_of(c);
    if (kind != Kind::plain && kind != Kind::slash && kind != Kind::dot) {
      return false;
    }
    if (before == '/' && kind != Kind::plain) {
      return false;  // "//" or a segment that begins with a dot
    }
    before = c;
  }
  return true;
}

std::string drop_parameters(std::string_view path) {
  std::string out;
  bool parameter = false;
  for (const char c : path) {
    parameter = c == ';' || (parameter && c != '/');
    if (!parameter) {
      out += c;
    }
  }
  return out;
}

// "http://host/a?b" → "/a?b"; an empty path is "/".
std::string_view without_authority(std::string_view target) {
  if (target.starts_with('/')) {
    return target;
  }
  const auto authority = target.find("://");
  if (authority == std::string_view::npos) {
    return {};
  }
  const auto path = target.find_first_of("/?", authority + 3);
  return path == std::string_view::npos ? std::string_view{"/"} : target.substr(path);
}

}  // namespace

bool normalise_path(std::string_view target, NormalPath& result) {
  target = without_authority(target);
  const auto question = target.find('?');
  std::string_view raw = target.substr(0, question);
  result.query = question == std::string_view::npos ? std::string_view{} : target.substr(question);
  result.without_parameters.clear();
  if (raw.empty()) {
    raw = "/";
  }
  if (raw.front() == '/' && is_plain(raw)) {
    result.path = raw;
    return true;
  }
  std::string& out = result.path;
  out = "/";
  std::size_t start = 1;
  for (std::size_t at = 1; at < raw.size();) {
    if (raw[at] != '/') {
      if (!append_normal(out, raw, at)) {
        return false;
      }
      continue;
    }
    if (!resolve_segment(out, start, false)) {
      return false;
    }
    start = out.size();
    ++at;
  }
  if (!resolve_segment(out, start, true)) {
    return false;
  }
  if (out.find(';') != std::string::npos) {
    result.without_parameters = drop_parameters(out);
  }
  return true;
}

bool is_below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || prefix.empty() || path[prefix.size()] == '/');
}

bool is_below(std::string_view path, std::string_view prefix, Letters letters) {
  if (letters == Letters::exact) {
    return is_below(path, prefix);
  }
  const std::string_view head = path.substr(0, prefix.size());
  return http::equals_ignore_case(head, prefix) && is_below(path, head);
}

std::string normal_prefix(std::string_view path) {
  NormalPath normal;
  if (!normalise_path(path, normal)) {
    normal.path = path;
  }
  while (normal.path.ends_with('/')) {
    normal.path.pop_back();
  }
  return normal.path;
}

}  // namespace lab::gateway
