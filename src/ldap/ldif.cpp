#include "ldap/ldif.hpp"

#include "ldap/text.hpp"

#include <openssl/evp.h>
#include <algorithm>
#include <sstream>

namespace lab::ldap {

namespace {

constexpr std::size_t kFold = 76;

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

std::string encode_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

void add_value(std::vector<Attribute>& attributes, std::string name, std::string value) {
  for (Attribute& attribute : attributes) {
    if (equal_ignoring_case(attribute.type, name)) {
      attribute.values.push_back(std::move(value));
      return;
    }
  }
  attributes.push_back({std::move(name), {std::move(value)}});
}

// SAFE-STRING of RFC 2849, and no space at the end, which would be overlooked.
bool is_safe(std::string_view value) {
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\0' && c != '\n' && c != '\r'; });
  const char first = value.empty() ? 'a' : value.front();
  return plain && first != ' ' && first != ':' && first != '<' && !value.ends_with(' ');
}

void append_line(std::string& out, std::string_view name, std::string_view value) {
  std::string line(name);
  if (value.empty()) {
    line += ':';
  } else if (is_safe(value)) {
    line.append(": ").append(value);
  } else {
    line.append(":: ").append(encode_base64(value));
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t size = at == 0 ? kFold : kFold - 1;
    out.append(at == 0 ? "" : " ").append(line, at, size).push_back('\n');
    at += size;
  }
}

}  // namespace

bool LdifReader::physical(std::string& into) {
  if (has_ahead_) {
    has_ahead_ = false;
    into = std::move(ahead_);
    number_of_last_ = number_;
    return true;
  }
  if (!std::getline(input_, into)) {
    return false;
  }
  if (into.ends_with('\r')) {
    into.pop_back();
  }
  number_of_last_ = ++number_;
  return true;
}

// A line that starts with one space goes on the one before, without that space.
bool LdifReader::logical(Line& into) {
  while (physical(into.text)) {
    into.number = number_of_last_;
    while (!into.text.empty() && physical(ahead_)) {
      if (!ahead_.starts_with(' ')) {
        has_ahead_ = true;
        break;
      }
      into.text.append(ahead_, 1);
    }
    if (!into.text.starts_with('#')) {
      return true;
    }
  }
  return false;
}

Error LdifReader::error(int line, std::string what, std::string remedy) const {
  return Error{std::move(what), path_ + ':' + std::to_string(line), std::move(remedy), {}, Failure::usage};
}

Result<LdifReader::Pair> LdifReader::split(const Line& line) const {
  const std::string_view text = line.text;
  const std::size_t colon = text.find(':');
  if (text.starts_with(' ')) {
    return error(line.number, "a continuation line that continues nothing", "remove the space at its start");
  }
  if (colon == std::string_view::npos || !is_attribute_description(text.substr(0, colon))) {
    return error(line.number, "not an attribute: " + line.text.substr(0, 60),
                 "write `attribute: value`; a folded line starts with one space");
  }
  Pair pair{std::string(text.substr(0, colon)), {}};
  std::string_view value = text.substr(colon + 1);
  const char kind = value.empty() ? ' ' : value.front();
  if (kind == '<') {
    return error(line.number, "a value by URL", "put the value itself into the file, in base64 after `::` if need be");
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
    return error(line.number, "not base64: " + std::string(value.substr(0, 60)), "encode the value of `" + pair.name + "::` as base64");
  }
  return pair;
}

Result<std::optional<LdifRecord>> LdifReader::next() {
  std::vector<Line> lines;
  Line line;
  while (logical(line)) {
    if (!line.text.empty()) {
      lines.push_back(std::move(line));
      const bool version = first_ && equal_ignoring_case(std::string_view(lines.back().text).substr(0, 8), "version:");
      first_ = false;
      if (version) {
        const Result<Pair> pair = split(lines.back());
        if (!pair || pair->value != "1") {
          return error(lines.back().number, "LDIF version " + (pair ? pair->value : std::string()), "only `version: 1` (RFC 2849) is read");
        }
        lines.clear();
      }
    } else if (!lines.empty()) {
      break;
    }
  }
  if (lines.empty()) {
    return std::optional<LdifRecord>();
  }
  const Result<Pair> name = split(lines.front());
  if (!name) {
    return name.error();
  }
  if (!equal_ignoring_case(name->name, "dn")) {
    return error(lines.front().number, "a record starts with `" + name->name + "`",
                 "start it with `dn:`; an empty line ends the record before it");
  }
  LdifRecord record{name->value, {}, lines.front().number, {}};
  const std::string_view second = lines.size() > 1 ? std::string_view(lines[1].text) : std::string_view();
  if (equal_ignoring_case(second.substr(0, 8), "control:")) {
    return error(lines[1].number, "a control", "leave controls out: changes are made when the file is loaded");
  }
  const bool is_change = equal_ignoring_case(second.substr(0, 11), "changetype:");
  const Result<void> read = is_change ? read_change(record, lines, 1) : read_content(record, lines, 1);
  return read ? Result<std::optional<LdifRecord>>(std::optional(std::move(record))) : Result<std::optional<LdifRecord>>(read.error());
}

Result<void> LdifReader::read_content(LdifRecord& record, const std::vector<Line>& lines, std::size_t at) const {
  for (; at < lines.size(); ++at) {
    Result<Pair> pair = split(lines[at]);
    if (!pair) {
      return pair.error();
    }
    if (equal_ignoring_case(pair->name, "dn")) {
      return error(lines[at].number, "a second dn in one record", "put an empty line before it");
    }
    if (equal_ignoring_case(pair->name, "changetype")) {
      return error(lines[at].number, "a changetype in the midst of a record", "put it right after the dn");
    }
    add_value(record.attributes, std::move(pair->name), std::move(pair->value));
  }
  return {};
}

Result<void> LdifReader::read_change(LdifRecord& record, const std::vector<Line>& lines, std::size_t at) const {
  const Result<Pair> type = split(lines[at]);
  if (!type) {
    return type.error();
  }
  if (type->value == "add") {
    Result<void> read = read_content(record, lines, at + 1);
    record.change = AddRequest{record.dn, record.attributes};
    return read;
  }
  if (type->value == "delete") {
    record.change = DeleteRequest{record.dn};
    return at + 1 == lines.size() ? Result<void>()
                                  : error(lines[at + 1].number, "more than a name to delete", "end the record with an empty line");
  }
  if (type->value == "modify") {
    return read_modify(record.change.emplace<ModifyRequest>(ModifyRequest{record.dn, {}}), lines, at + 1);
  }
  if (type->value == "modrdn" || type->value == "moddn") {
    return read_rename(record.change.emplace<ModifyDnRequest>(ModifyDnRequest{record.dn, {}, false, {}}), lines, at + 1);
  }
  return error(lines[at].number, "unknown changetype: " + type->value, "write add, delete, modify, modrdn or moddn");
}

Result<void> LdifReader::read_modify(ModifyRequest& modify, const std::vector<Line>& lines, std::size_t at) const {
  bool begins = true;
  for (; at < lines.size(); ++at) {
    if (lines[at].text == "-") {
      begins = true;
      continue;
    }
    Result<Pair> pair = split(lines[at]);
    if (!pair) {
      return pair.error();
    }
    if (!begins) {
      Attribute& attribute = modify.changes.back().attribute;
      if (!equal_ignoring_case(pair->name, attribute.type)) {
        return error(lines[at].number, "a value of `" + pair->name + "` in a change of `" + attribute.type + "`",
                     "end the change before with a line `-`");
      }
      attribute.values.push_back(std::move(pair->value));
      continue;
    }
    begins = false;
    constexpr std::pair<const char*, Change::Kind> kKinds[] = {{"add", Change::Kind::add},
                                                               {"delete", Change::Kind::remove},
                                                               {"replace", Change::Kind::replace},
                                                               {"increment", Change::Kind::increment}};
    const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& one) { return pair->name == one.first; });
    if (kind == std::end(kKinds)) {
      return error(lines[at].number, "unknown change: " + pair->name, "write add:, delete:, replace: or increment: and the attribute");
    }
    modify.changes.push_back({kind->second, {std::move(pair->value), {}}});
  }
  return {};
}

Result<void> LdifReader::read_rename(ModifyDnRequest& rename, const std::vector<Line>& lines, std::size_t at) const {
  const int first = lines[at - 1].number;
  for (; at < lines.size(); ++at) {
    Result<Pair> pair = split(lines[at]);
    if (!pair) {
      return pair.error();
    }
    if (equal_ignoring_case(pair->name, "newrdn")) {
      rename.new_rdn = std::move(pair->value);
    } else if (equal_ignoring_case(pair->name, "deleteoldrdn") && (pair->value == "0" || pair->value == "1")) {
      rename.delete_old_rdn = pair->value == "1";
    } else if (equal_ignoring_case(pair->name, "newsuperior")) {
      rename.new_superior = std::move(pair->value);
    } else {
      return error(lines[at].number, "not of a new name: " + lines[at].text.substr(0, 60),
                   "write newrdn:, deleteoldrdn: 0 or 1, and newsuperior:");
    }
  }
  return rename.new_rdn.empty() ? Result<void>(error(first, "a new name without newrdn", "add `newrdn:` and `deleteoldrdn:`"))
                                : Result<void>();
}

Result<std::vector<LdifRecord>> parse_ldif(std::string_view text, const std::string& path) {
  std::istringstream input{std::string(text)};
  LdifReader reader(input, path);
  std::vector<LdifRecord> records;
  for (;;) {
    Result<std::optional<LdifRecord>> record = reader.next();
    if (!record) {
      return record.error();
    }
    if (!*record) {
      return records;
    }
    records.push_back(std::move(**record));
  }
}

void append_ldif(std::string& out, const std::string& dn, const std::vector<Attribute>& attributes) {
  append_line(out, "dn", dn);
  for (const Attribute& attribute : attributes) {
    for (const std::string& value : attribute.values) {
      append_line(out, attribute.type, value);
    }
  }
  out.push_back('\n');
}

}  // namespace lab::ldap
