#include "config/diagnostics.hpp"

#include <algorithm>

namespace lab::config {

namespace {

constexpr std::size_t kWidestLine = 120;  // of an excerpt; longer lines are cut around the caret
constexpr std::size_t kLongestValue = 60;

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// The start of the character that `at` is in.
std::size_t character_start(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && at < text.size() && !starts_character(text[at])) {
    --at;
  }
  return at;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if ((static_cast<unsigned char>(byte) < 0x20 && byte != '\t') || byte == 0x7F) {
      byte = '?';
    }
  }
  return result;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = std::max(i, j);
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
      }
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

Diagnostics::Diagnostics(std::string_view text, std::string path)
    : path_(std::move(path)), lines_(split_lines(without_byte_order_mark(text))) {}

void Diagnostics::add(Mark mark, std::string what, std::string remedy, std::size_t width) {
  ++complaints_;
  const auto [first, last] = errors_.equal_range(mark);
  if (std::any_of(first, last, [&](const auto& known) { return known.second.what == what; })) {
    return;
  }
  errors_.emplace(mark, Error{std::move(what), where(mark), std::move(remedy), excerpt(mark, width), Failure::usage});
}

void Diagnostics::add_with(Mark mark, const std::string& what, std::string remedy, std::size_t width, const std::string& label,
                           Mark other) {
  add(mark, what, std::move(remedy), width);
  const std::string more = "\n  " + label + " at " + where(other) + "\n" + excerpt(other, width);
  const auto [first, last] = errors_.equal_range(mark);
  for (auto error = first; error != last; ++error) {
    if (error->second.what == what && !error->second.detail.ends_with(more)) {
      error->second.detail += more;
    }
  }
}

std::string Diagnostics::where(Mark mark) const {
  const std::string_view text = line(mark.line);
  const std::size_t column = characters(text.substr(0, std::min(mark.column - 1, text.size()))) + 1;
  return path_ + ":" + std::to_string(mark.line) + ":" + std::to_string(column);
}

std::string_view Diagnostics::line(std::size_t number) const {
  return number == 0 || number > lines_.size() ? std::string_view{} : lines_[number - 1];
}

std::string Diagnostics::excerpt(Mark mark, std::size_t width) const {
  if (mark.line > lines_.size()) {
    return {};
  }
  std::string_view text = line(mark.line);
  std::size_t at = std::min(mark.column - 1, text.size());
  std::string before;
  std::string after;
  if (at > kWidestLine * 2 / 3) {
    const std::size_t cut = character_start(text, at - kWidestLine / 2);
    text.remove_prefix(cut);
    at -= cut;
    before = "...";
  }
  if (text.size() > kWidestLine) {
    text = text.substr(0, character_start(text, kWidestLine));
    after = "...";
  }
  std::string number = std::to_string(mark.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string caret(before.size(), ' ');
  for (const char byte : text.substr(0, at)) {
    if (starts_character(byte)) {
      caret += byte == '\t' ? '\t' : ' ';
    }
  }
  const std::size_t room = characters(text.substr(at));
  caret += '^' + std::string(std::min(std::max<std::size_t>(width, 1), std::max<std::size_t>(room, 1)) - 1, '~');
  return number + " | " + before + printable(text) + after + "\n      | " + caret;
}

Errors Diagnostics::take() {
  Errors errors;
  for (auto& [mark, error] : errors_) {
    if (errors.size() == kMostErrors) {
      errors.push_back(Error{std::to_string(errors_.size() - kMostErrors) + " more errors in " + path_, {}, {}, {}, Failure::usage});
      break;
    }
    errors.push_back(std::move(error));
  }
  errors_.clear();
  return errors;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() > 64) {
    return {};
  }
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance(word, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "known: " + join(known) : "did you mean `" + near + "`?";
}

std::string_view without_byte_order_mark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? std::string() : std::string(separator)) + word;
  }
  return text;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string shown(std::string_view text) {
  const std::string_view head = text.substr(0, character_start(text, kLongestValue));
  return "`" + printable(head) + (head.size() < text.size() ? "..." : "") + "`";
}

}  // namespace lab::config
