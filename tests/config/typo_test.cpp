// Properties: a key mistyped by one character is the only complaint, and names the key meant; no damage to a file does worse than
// errors.
#include "config/config.hpp"
#include "config/document.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>

using namespace lab;

namespace {

struct Key {
  std::string text;
  std::size_t offset;  // in the file
};

// Keys below these are names that the file's author chooses.
bool chooses_names(const std::string& key) { return key == "nodes" || key == "networks" || key == "profiles"; }

void collect(const config::Value& value, bool names, const std::vector<std::size_t>& lines, std::vector<Key>& keys) {
  for (const config::Entry& entry : value.entries) {
    if (!names) {
      keys.push_back({entry.key, lines[entry.mark.line - 1] + entry.mark.column - 1});
    }
    collect(entry.value, !names && chooses_names(entry.key), lines, keys);
  }
  for (const config::Value& item : value.items) {
    collect(item, false, lines, keys);
  }
}

std::vector<Key> keys_of(std::string_view text) {
  std::vector<std::size_t> lines{0};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      lines.push_back(at + 1);
    }
  }
  config::Diagnostics errors(text, "file");
  const auto root = config::parse_document(text, errors);
  REQUIRE(root);
  std::vector<Key> keys;
  collect(*root, false, lines, keys);
  return keys;
}

// One of each kind, at a place that differs from key to key.
std::set<std::string> mistyped(const Key& key) {
  const std::string& word = key.text;
  const std::size_t at = key.offset % word.size();
  std::set<std::string> typos{word + "s", word.substr(0, at) + word.substr(at + 1), word.substr(0, at) + "q" + word.substr(at + 1)};
  if (at + 1 < word.size()) {
    typos.insert(word.substr(0, at) + word[at + 1] + word[at] + word.substr(at + 2));
  }
  typos.erase(word);
  typos.erase("");
  return typos;
}

Errors errors_of(const std::string& text) {
  const auto result = config::parse_any(text, "file");
  return result.has_error() ? result.error() : Errors();
}

}  // namespace

TEST_CASE("a key of a built-in file mistyped by one character gives one error that names the key") {
  for (const EmbeddedFile& file : config::built_ins()) {
    const auto keys = keys_of(file.text);
    REQUIRE(keys.size() > 10);
    std::set<std::string> known;
    for (const Key& key : keys) {
      known.insert(key.text);
    }
    for (const Key& key : keys) {
      for (const std::string& typo : mistyped(key)) {
        if (known.contains(typo)) {
          continue;
        }
        std::string text(file.text);
        text.replace(key.offset, key.text.size(), typo);
        const Errors errors = errors_of(text);
        const std::string expected = "did you mean `" + key.text + "`?";
        if (errors.size() != 1 || errors.front().remedy != expected) {
          std::string all;
          for (const Error& error : errors) {
            all += to_string(error) + "\n";
          }
          FAIL_CHECK(file.name << ": " << key.text << " as " << typo << " at byte " << key.offset << ":\n" << all);
        }
      }
    }
  }
}

TEST_CASE("no damage to a file does worse than errors") {
  std::mt19937 random(20070401);
  const auto below = [&](std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random); };
  const std::string_view bytes = "{}[]:,-#&*!|>'\"%@`?\n\t \\\xC3\xA9\x01\xFF~0a";
  for (const EmbeddedFile& file : config::built_ins()) {
    for (int round = 0; round < 60; ++round) {
      std::string text(file.text);
      for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
        const std::size_t at = below(text.size());
        switch (below(4)) {
          case 0: text.erase(at, 1 + below(40)); break;
          case 1: text.insert(at, 1, bytes[below(bytes.size())]); break;
          case 2: text[at] = bytes[below(bytes.size())]; break;
          default: text.insert(at, text.substr(below(text.size()), 1 + below(80))); break;
        }
      }
      CAPTURE(file.name, round);
      for (const Error& error : errors_of(text)) {
        CHECK_FALSE(error.what.empty());
      }
    }
  }
}

TEST_CASE("a large file ends soon, in a bounded number of errors") {
  const auto size = [](const std::string& text) { return errors_of(text).size(); };
  const std::size_t most = config::Diagnostics::kMostErrors + 1;
  CHECK(size("lab: x\n" + std::string(4 << 20, ' ')) == 1);
  CHECK(size(std::string((4 << 20) + 1, '#')) == 1);
  CHECK(size("lab: " + std::string(1 << 20, '[')) == 1);
  CHECK(size("lab: " + std::string(1 << 20, '{')) == 1);
  std::string keys = "lab: x\nnodes: {a: {roles: [load]}}\n";
  for (int i = 0; i < 20'000; ++i) {
    keys += "unknown" + std::to_string(i) + ": 1\n";
  }
  CHECK(size(keys) == most);
  std::string values = "lab: [";
  for (int i = 0; i < 300'000; ++i) {
    values += "1,\n";
  }
  CHECK(size(values + "]\n") == 1);
}
