#include "ldap/ldif.hpp"

#include "ldap/text.hpp"

#include <openssl/evp.h>
#include <optional>

namespace lab::ldap {

namespace {

struct Line {
  std::string text;  // unfolded
  int number = 0;    // of its first physical line
};

// Physical lines to logical ones: a line that starts with one space goes on the one before, without that space.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  // Nothing at the end. Comments are left out; an empty line separates records.
  std::optional<Line> next() {
    while (at_ < text_.size()) {
      Line line{std::string(physical()), number_};
      while (at_ < text_.size() && text_[at_] == ' ' && !line.text.empty()) {
        line.text += physical().substr(1);
      }
      if (!line.text.starts_with('#')) {
        return line;
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view physical() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    at_ = end + 1;
    ++number_;
    return line;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int number_ = 0;
};

bool decode_base64(std::string_view text, std::string& into) {
  if (text.size() % 4 != 0) {
    return false;
  }
  into.resize(text.size() / 4 * 3);
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(into.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) {
    return false;
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  into.resize(static_cast<std::size_t>(size) - padding);
  return true;
}

class LdifParser {
 public:
  LdifParser(std::string_view text, const std::string& path) : lines_(text), path_(path) {}

  Result<std::vector<LdifRecord>> parse() {
    std::vector<LdifRecord> records;
    bool in_record = false;
    bool first = true;
    while (const std::optional<Line> line = lines_.next()) {
      if (line->text.empty()) {
        in_record = false;
        continue;
      }
      auto pair = split(*line);
      if (!pair) {
        return pair.error();
      }
      const bool version = first && equal_ignoring_case(pair->name, "version");
      first = false;
      const Result<void> added = version     ? check_version(*line, pair->value)
                                 : in_record ? add_value(records.back(), *line, std::move(*pair))
                                             : start(records, *line, std::move(*pair));
      if (!added) {
        return added.error();
      }
      in_record = in_record || !version;
    }
    return records;
  }

 private:
  struct Pair {
    std::string name, value;
  };

  Error error(const Line& line, std::string what, std::string remedy) const {
    return Error{std::move(what), path_ + ':' + std::to_string(line.number), std::move(remedy), {}, Failure::usage};
  }

  Result<Pair> split(const Line& line) const {
    const std::string_view text = line.text;
    const std::size_t colon = text.find(':');
    if (text.starts_with(' ')) {
      return error(line, "a continuation line that continues nothing", "remove the space at its start");
    }
    if (colon == std::string_view::npos || !is_attribute_description(text.substr(0, colon))) {
      return error(line, "not an attribute: " + line.text.substr(0, 60), "write `attribute: value`; a folded line starts with one space");
    }
    Pair pair{std::string(text.substr(0, colon)), {}};
    std::string_view value = text.substr(colon + 1);
    const char kind = value.empty() ? ' ' : value.front();
    if (kind == '<') {
      return error(line, "a value by URL", "put the value itself into the file, in base64 after `::` if need be");
    }
    if (kind == ':') {
      value.remove_prefix(1);
    }
    while (value.starts_with(' ')) {
      value.remove_prefix(1);
    }
    if (kind != ':') {
      pair.value = value;
    } else if (!decode_base64(value, pair.value)) {
      return error(line, "not base64: " + std::string(value.substr(0, 60)), "encode the value of `" + pair.name + "::` as base64");
    }
    return pair;
  }

  Result<void> check_version(const Line& line, const std::string& value) const {
    if (value != "1") {
      return error(line, "LDIF version " + value, "only `version: 1` (RFC 2849) is read");
    }
    return {};
  }

  Result<void> start(std::vector<LdifRecord>& records, const Line& line, Pair pair) const {
    if (!equal_ignoring_case(pair.name, "dn")) {
      return error(line, "a record starts with `" + pair.name + "`", "start it with `dn:`; an empty line ends the record before it");
    }
    records.push_back({std::move(pair.value), {}, line.number});
    return {};
  }

  Result<void> add_value(LdifRecord& record, const Line& line, Pair pair) const {
    if (equal_ignoring_case(pair.name, "changetype") || equal_ignoring_case(pair.name, "control")) {
      return error(line, "a change record", "give entries (content records), as slapcat and ldapsearch -LLL write them");
    }
    if (equal_ignoring_case(pair.name, "dn")) {
      return error(line, "a second dn in one record", "put an empty line before it");
    }
    for (Attribute& attribute : record.attributes) {
      if (equal_ignoring_case(attribute.type, pair.name)) {
        attribute.values.push_back(std::move(pair.value));
        return {};
      }
    }
    record.attributes.push_back({std::move(pair.name), {std::move(pair.value)}});
    return {};
  }

  LineReader lines_;
  const std::string& path_;
};

}  // namespace

Result<std::vector<LdifRecord>> parse_ldif(std::string_view text, const std::string& path) { return LdifParser(text, path).parse(); }

}  // namespace lab::ldap
