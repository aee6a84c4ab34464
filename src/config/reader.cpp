#include "config/reader.hpp"

#include "lab/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lab::config {

namespace {

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

bool is_letter_or_digit(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9'); }

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string plain(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string between(const std::string& least, const std::string& most) { return "from " + least + " to " + most; }

}  // namespace

std::nullopt_t Cursor::refuse(std::string what, std::string remedy) const {
  errors.add(value.mark, std::move(what), std::move(remedy), value.width());
  return std::nullopt;
}

std::nullopt_t Cursor::wants(std::string_view what) const {
  std::string got = kind_name(value);
  std::string remedy;
  if (value.kind == Value::Kind::scalar) {
    got = shown(value.text);
  } else if (value.kind == Value::Kind::null) {
    remedy = "put null or ~ in quotes where the word is meant";
  }
  return refuse("`" + std::string(key) + "` wants " + std::string(what) + ", not " + got, remedy);
}

std::optional<std::string> text(Cursor at) {
  if (at.value.kind != Value::Kind::scalar) {
    return at.wants("text");
  }
  if (at.value.text.find('\0') != std::string::npos) {
    return at.refuse("`" + std::string(at.key) + "` contains a NUL character", "take it out");
  }
  return at.value.text;
}

std::optional<std::string> line(Cursor at) {
  auto value = text(at);
  if (value && std::any_of(value->begin(), value->end(), is_control)) {
    return at.refuse("`" + std::string(at.key) + "` contains a control character", "write one line of plain text");
  }
  return value;
}

std::optional<std::string> filled(Cursor at) {
  auto value = line(at);
  if (value && value->empty()) {
    return at.refuse("`" + std::string(at.key) + "` is empty", "give it a value, or take the key out");
  }
  return value;
}

std::optional<std::string> name(Cursor at) {
  auto value = filled(at);
  if (!value) {
    return value;
  }
  const bool allowed = std::all_of(value->begin(), value->end(),
                                   [](char byte) { return is_letter_or_digit(byte) || byte == '-' || byte == '_' || byte == '.'; });
  if (!allowed || !is_letter_or_digit(value->front()) || value->size() > 63) {
    return at.refuse(shown(*value) + " is not a name", "use letters, digits, `-`, `_` and `.`, a letter or digit first, at most 63");
  }
  return value;
}

std::optional<bool> boolean(Cursor at) {
  if (at.value.kind == Value::Kind::scalar && !at.value.quoted) {
    if (at.value.text == "true" || at.value.text == "false") {
      return at.value.text == "true";
    }
  }
  return at.wants("true or false");
}

std::optional<double> number(Cursor at, double least, double most) {
  const auto value = at.value.kind == Value::Kind::scalar ? parse_number<double>(at.value.text) : std::nullopt;
  const std::string range = "a number " + between(plain(least), plain(most));
  if (!value || !std::isfinite(*value) || *value < least || *value > most) {
    return at.wants(range);
  }
  return value;
}

std::optional<std::int64_t> integer(Cursor at, std::int64_t least, std::int64_t most) {
  const auto value = at.value.kind == Value::Kind::scalar ? parse_number<std::int64_t>(at.value.text) : std::nullopt;
  if (!value || *value < least || *value > most) {
    return at.wants("a whole number " + between(std::to_string(least), std::to_string(most)));
  }
  return value;
}

std::optional<std::uint64_t> size(Cursor at) {
  const auto value = at.value.kind == Value::Kind::scalar ? parse_size(at.value.text) : std::nullopt;
  return value ? value : at.wants("a size like 100B, 5.8KB, 12KB or 2.9MB");
}

std::optional<std::chrono::nanoseconds> duration(Cursor at, std::chrono::nanoseconds least) {
  const auto value = at.value.kind == Value::Kind::scalar ? parse_duration(at.value.text) : std::nullopt;
  if (!value) {
    return at.wants("a duration like 300ms, 15s or 2m");
  }
  return *value >= least ? value : at.wants("at least " + format_duration(least));
}

std::optional<double> share(Cursor at) {
  const std::string_view text = at.value.kind == Value::Kind::scalar ? std::string_view(at.value.text) : std::string_view();
  const bool percent = text.ends_with('%');
  const auto value = parse_number<double>(percent ? text.substr(0, text.size() - 1) : text);
  const double result = value.value_or(-1) / (percent ? 100.0 : 1.0);
  if (!(result >= 0 && result <= 1)) {
    return at.wants("a share like 10% or 0.1");
  }
  return result;
}

std::optional<Endpoint> endpoint(Cursor at) {
  const auto value = filled(at);
  if (!value) {
    return std::nullopt;
  }
  const std::size_t colon = value->rfind(':');
  std::string host = value->substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    host.clear();
  }
  const auto number = colon == std::string::npos ? std::nullopt : parse_number<std::uint16_t>(std::string_view(*value).substr(colon + 1));
  if (host.empty() || !number) {
    return at.wants("host:port, like 127.0.0.1:8080 or [::1]:8080");
  }
  return Endpoint{host, *number};
}

std::optional<std::uint16_t> port(Cursor at) { return whole<std::uint16_t>(at, 1, 65535); }

std::optional<std::size_t> choose(Cursor at, const std::vector<std::string>& words) {
  if (at.value.kind != Value::Kind::scalar) {
    return at.wants("one of " + join(words));
  }
  const auto found = std::find(words.begin(), words.end(), at.value.text);
  if (found != words.end()) {
    return static_cast<std::size_t>(found - words.begin());
  }
  const std::string meant = nearest(at.value.text, words);
  return at.refuse("unknown " + std::string(at.key) + " " + shown(at.value.text),
                   "allowed: " + join(words) + (meant.empty() ? "" : "; did you mean `" + meant + "`?"));
}

std::optional<std::vector<std::string>> check_keys(Cursor at, std::string_view what, const std::vector<std::string>& known) {
  if (at.value.kind != Value::Kind::map) {
    at.refuse(std::string(what) + " wants a map of keys, not " + kind_name(at.value), "allowed keys: " + join(known));
    return std::nullopt;
  }
  std::vector<std::string> absent;
  std::copy_if(known.begin(), known.end(), std::back_inserter(absent),
               [&](const std::string& key) { return at.value.entry(key) == nullptr; });
  std::vector<std::string> meant;
  for (const Entry& entry : at.value.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) {
      continue;
    }
    std::string near = nearest(entry.key, absent);
    if (near.empty()) {
      near = nearest(entry.key, known);
    }
    at.errors.add(entry.mark, "unknown key " + shown(entry.key) + " in " + std::string(what),
                  near.empty() ? "allowed: " + join(known) : "did you mean `" + near + "`?", entry.key.size());
    if (!near.empty()) {
      meant.push_back(near);
    }
  }
  return meant;
}

void missing_key(Cursor at, std::string_view what, std::string_view key) {
  at.errors.add(at.value.mark, std::string(what) + " has no `" + std::string(key) + "`", "add `" + std::string(key) + ": …`");
}

}  // namespace lab::config
