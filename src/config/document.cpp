#include "config/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>
#include <algorithm>
#include <istream>
#include <streambuf>

namespace lab::config {

namespace {

// Ends a parse from inside yaml-cpp's callbacks; never leaves this file.
struct Refused {
  Mark mark;
  std::string what;
  std::string remedy;
};

// yaml-cpp counts lines and columns from zero.
Mark to_mark(const YAML::Mark& mark) {
  return {static_cast<std::size_t>(std::max(mark.line, 0)) + 1, static_cast<std::size_t>(std::max(mark.column, 0)) + 1};
}

// Builds the tree and refuses what the files never need: anchors and aliases (a few lines can stand for billions of values), tags,
// keys that are not text.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Value take() { return std::move(root_); }
  // Where the last quoted scalar begins, in bytes.
  std::optional<std::size_t> last_quoted() const { return last_quoted_; }
  Mark last_quoted_mark() const { return last_quoted_mark_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    throw Refused{to_mark(mark), "anchor " + shown("&" + name), "write the value out at each place: anchors and aliases are not read"};
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Refused{to_mark(mark), "an alias", "write the value out at each place: anchors and aliases are not read"};
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Value value;
    value.mark = pending_.empty() || !pending_.back().key ? to_mark(mark) : pending_.back().key_mark;
    add(std::move(value));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/, const std::string& text) override {
    check_tag(mark, tag);
    Value value;
    value.kind = Value::Kind::scalar;
    value.mark = to_mark(mark);
    value.text = text;
    value.quoted = tag == "!";
    if (value.quoted) {
      last_quoted_ = static_cast<std::size_t>(std::max(mark.pos, 0));
      last_quoted_mark_ = value.mark;
    }
    add(std::move(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, Value::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, Value::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Pending {
    Value value;
    std::optional<std::string> key;  // of a map: read, its value is next
    Mark key_mark;
  };

  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refused{to_mark(mark), "tag " + shown(tag), "leave it out: values are read as their key wants them"};
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, Value::Kind kind) {
    check_tag(mark, tag);
    if (pending_.size() == kDeepest) {
      throw Refused{to_mark(mark), "nested deeper than " + std::to_string(kDeepest) + " levels", "close what was opened before"};
    }
    if (!pending_.empty() && pending_.back().value.kind == Value::Kind::map && !pending_.back().key) {
      throw Refused{to_mark(mark), "a key that is not text", "write `key: value` with a plain word for the key"};
    }
    Pending pending;
    pending.value.kind = kind;
    pending.value.mark = to_mark(mark);
    pending_.push_back(std::move(pending));
  }

  void close() {
    Value value = std::move(pending_.back().value);
    pending_.pop_back();
    if (value.kind == Value::Kind::map) {
      drop_repeated(value);
    }
    add(std::move(value));
  }

  void add(Value value) {
    if (++values_ > kMostValues) {
      throw Refused{value.mark, "more than " + std::to_string(kMostValues) + " values", "split the file"};
    }
    if (pending_.empty()) {
      root_ = std::move(value);
      return;
    }
    Pending& parent = pending_.back();
    if (parent.value.kind == Value::Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else if (parent.key) {
      parent.value.entries.push_back({std::move(*parent.key), parent.key_mark, std::move(value)});
      parent.key.reset();
    } else {
      parent.key = value.kind == Value::Kind::null ? "null" : std::move(value.text);
      parent.key_mark = value.mark;
    }
  }

  // yaml-cpp accepts a key twice.
  void drop_repeated(Value& map) {
    std::map<std::string_view, Mark> first;
    std::vector<Entry> kept;
    for (const Entry& entry : map.entries) {
      const auto [known, fresh] = first.try_emplace(entry.key, entry.mark);
      if (!fresh) {
        diagnostics_.add_with(entry.mark, "key " + shown(entry.key) + " is repeated", "keep one of them", entry.key.size(), "first",
                              known->second);
      }
    }
    if (first.size() == map.entries.size()) {
      return;
    }
    for (Entry& entry : map.entries) {
      if (first.at(entry.key) == entry.mark) {
        kept.push_back(entry);
      }
    }
    map.entries = std::move(kept);
  }

  Diagnostics& diagnostics_;
  Value root_;
  std::vector<Pending> pending_;
  std::size_t values_ = 0;
  std::optional<std::size_t> last_quoted_;
  Mark last_quoted_mark_;
};

// Refuses a document after the first.
class Nothing : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refused{to_mark(mark), "a second document", "a file holds one: put the other into a file of its own"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/, const std::string& /*text*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

// A stream over text that is not copied.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // std::streambuf's interface; a get area is only read
    setg(begin, begin, begin + text.size());
  }
};

std::size_t utf8_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return 2;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    return 3;
  }
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

// The first byte that is not UTF-8 text (RFC 3629; overlong three- and four-byte forms and surrogates pass), or a NUL.
std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(static_cast<unsigned char>(text[at]));
    if (text[at] == '\0' || length == 0 || at + length > text.size()) {
      return at;
    }
    for (std::size_t next = 1; next < length; ++next) {
      if ((static_cast<unsigned char>(text[at + next]) & 0xC0U) != 0x80U) {
        return at;
      }
    }
    at += length;
  }
  return std::nullopt;
}

Mark mark_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n');
  return {lines + 1, at - (start == std::string_view::npos ? 0 : start + 1) + 1};
}

// yaml-cpp takes the end of the file for a closing quote.
bool quote_closes(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) {
    return true;  // a block scalar
  }
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      return true;
    }
  }
  return false;
}

std::string syntax_remedy(const Diagnostics& diagnostics, Mark mark) {
  const std::string_view line = diagnostics.line(mark.line);
  const std::size_t word = line.find_first_not_of(" \t");
  if (line.substr(0, word).find('\t') != std::string_view::npos) {
    return "indent with spaces: YAML takes no tabs";
  }
  return "look at brackets, quotes and indentation here and just above";
}

bool parse_into(Builder& builder, std::string_view text, Diagnostics& diagnostics) {
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.add({}, "the file is empty", "`lab init` writes a starter lab and playbook");
      return false;
    }
    if (builder.last_quoted() && !quote_closes(text, *builder.last_quoted())) {
      diagnostics.add(builder.last_quoted_mark(), "not YAML: a quote that is never closed", "close it");
      return false;
    }
    Nothing nothing;
    parser.HandleNextDocument(nothing);
    return true;
  } catch (const Refused& refused) {
    diagnostics.add(refused.mark, refused.what, refused.remedy);
  } catch (const YAML::Exception& exception) {
    const Mark mark = to_mark(exception.mark);
    diagnostics.add(mark, "not YAML: " + exception.msg, syntax_remedy(diagnostics, mark));
  }
  return false;
}

}  // namespace

const Entry* Value::entry(std::string_view key) const {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& candidate) { return candidate.key == key; });
  return at == entries.end() ? nullptr : &*at;
}

const Value* Value::find(std::string_view key) const {
  const Entry* found = entry(key);
  return found == nullptr ? nullptr : &found->value;
}

std::size_t Value::width() const {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return kind == Kind::scalar ? end + (quoted ? 2 : 0) : 1;
}

std::optional<Value> parse_document(std::string_view text, Diagnostics& diagnostics) {
  if (text.size() > kMostBytes) {
    diagnostics.add({}, "the file is larger than 4 MiB", "split it");
    return std::nullopt;
  }
  if (const auto bad = first_bad_byte(text)) {
    diagnostics.add(mark_of(text, *bad), "not UTF-8 text", "save the file as UTF-8");
    return std::nullopt;
  }
  Builder builder(diagnostics);
  if (!parse_into(builder, without_byte_order_mark(text), diagnostics)) {
    return std::nullopt;
  }
  return builder.take();
}

std::span<const Value> items_of(const Value* list) { return list == nullptr ? std::span<const Value>() : std::span(list->items); }

std::span<const Entry> entries_of(const Value* map) { return map == nullptr ? std::span<const Entry>() : std::span(map->entries); }

const Value* part_of(const Value* map, std::string_view key) { return map == nullptr ? nullptr : map->find(key); }

std::vector<const Value*> texts_of(const Value* value) {
  std::vector<const Value*> texts;
  if (value != nullptr && value->kind == Value::Kind::scalar) {
    texts.push_back(value);
  }
  for (const Value& item : items_of(value)) {
    if (item.kind == Value::Kind::scalar) {
      texts.push_back(&item);
    }
  }
  return texts;
}

std::string kind_name(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "nothing";
    case Value::Kind::scalar: return "text";
    case Value::Kind::list: return "a list";
    case Value::Kind::map: return "a map";
  }
  return {};
}

}  // namespace lab::config
