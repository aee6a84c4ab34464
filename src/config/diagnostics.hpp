// Collects every error of one file, each with its position, the source line and a caret.
#pragma once

#include "lab/error.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lab::config {

struct Mark {  // both from 1; the column counts bytes
  std::size_t line = 1, column = 1;
  bool operator==(const Mark&) const = default;
  bool operator<(const Mark& other) const { return line != other.line ? line < other.line : column < other.column; }
};

class Diagnostics {
 public:
  // `text` must outlive this; `path` is for messages only.
  Diagnostics(std::string_view text, std::string path);

  // `width` characters are underlined from the mark on. The same complaint at the same place counts once.
  void add(Mark mark, std::string what, std::string remedy = {}, std::size_t width = 1);
  // As above, with a second place below the first: "first at …".
  void add_with(Mark mark, const std::string& what, std::string remedy, std::size_t width, const std::string& label, Mark other);

  std::size_t complaints() const { return complaints_; }  // calls of add so far, repeated ones too
  bool complained_at(Mark mark) const { return errors_.contains(mark); }
  std::string where(Mark mark) const;               // "file:line:col", the column in characters
  std::string_view line(std::size_t number) const;  // without its end; empty beyond the last

  // In file order; no more than kMostErrors, then one that counts the rest.
  Errors take();

  static constexpr std::size_t kMostErrors = 100;

 private:
  std::string excerpt(Mark mark, std::size_t width) const;

  std::string path_;
  std::vector<std::string_view> lines_;
  std::multimap<Mark, Error> errors_;
  std::size_t complaints_ = 0;
};

// The candidate that `word` most likely means: few edits away, an exchange of neighbours counting one. Empty: none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// A remedy for a word that is not among the known: "did you mean `was`?", else "known: was, tam".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

std::string_view without_byte_order_mark(std::string_view text);

// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

bool contains(const std::vector<std::string>& words, std::string_view word);

// A value of the file inside a message: quoted, shortened, without control characters.
std::string shown(std::string_view text);

}  // namespace lab::config
