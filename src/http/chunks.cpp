#include "http/characters.hpp"
#include "http/message.hpp"

#include <algorithm>

namespace lab::http {

namespace {

constexpr int kMaxDigits = 15;                   // of a chunk's size: below 2^60
constexpr std::size_t kMaxExtension = 4096;      // bytes of one chunk's extensions
constexpr std::size_t kMaxTrailers = 16 * 1024;  // bytes of all trailers

int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

const char* ChunkDecoder::advance(char c) {
  switch (state_) {
    case State::size:
      if (const int digit = hex_value(c); digit >= 0) {
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        return ++digits_ > kMaxDigits ? "a chunk size is too large" : nullptr;
      }
      if (digits_ == 0) {
        return "a bad chunk size";
      }
      [[fallthrough]];
    case State::size_blank:
      if (c == ';') {
        state_ = State::extension;
      } else if (c == '\r' && state_ == State::size) {
        state_ = State::size_lf;
      } else if (is_blank(c)) {
        state_ = State::size_blank;
      } else {
        return "a bad chunk size";
      }
      return ++extra_ > kMaxExtension ? "a chunk extension is too long" : nullptr;
    case State::extension:
      if (c == '\r') {
        state_ = State::size_lf;
      } else if (!is_field_char(c)) {
        return "a bad chunk extension";
      }
      return ++extra_ > kMaxExtension ? "a chunk extension is too long" : nullptr;
    case State::size_lf:
      state_ = left_ == 0 ? State::trailer_start : State::data;
      digits_ = 0;
      extra_ = 0;
      return c == '\n' ? nullptr : "a bare CR after a chunk size";
    case State::data_cr: state_ = State::data_lf; return c == '\r' ? nullptr : "a chunk is longer than its size";
    case State::data_lf: state_ = State::size; return c == '\n' ? nullptr : "a chunk does not end in CRLF";
    case State::trailer_start:
      if (c == '\r') {
        state_ = State::end_lf;
        return nullptr;
      }
      state_ = State::trailer_name;
      return is_token_char(c) ? nullptr : "a bad trailer";
    case State::trailer_name:
      if (c == ':') {
        state_ = State::trailer_value;
      } else if (!is_token_char(c)) {
        return "a bad trailer";
      }
      return ++extra_ > kMaxTrailers ? "the trailers are too long" : nullptr;
    case State::trailer_value:
      if (c == '\r') {
        state_ = State::trailer_lf;
      } else if (!is_field_char(c)) {
        return "a bad trailer";
      }
      return ++extra_ > kMaxTrailers ? "the trailers are too long" : nullptr;
    case State::trailer_lf: state_ = State::trailer_start; return c == '\n' ? nullptr : "a bare CR in a trailer";
    case State::end_lf: state_ = State::done; return c == '\n' ? nullptr : "a bare CR after the last chunk";
    case State::data:
    case State::done: break;
  }
  return nullptr;
}

ChunkDecoder::Step ChunkDecoder::next(std::string_view data) {
  Step step;
  while (step.consumed < data.size() && state_ != State::done) {
    if (state_ == State::data) {
      if (!step.body.empty()) {
        return step;
      }
      step.body = data.substr(step.consumed, static_cast<std::size_t>(std::min<std::uint64_t>(left_, data.size() - step.consumed)));
      step.consumed += step.body.size();
      left_ -= step.body.size();
      if (left_ == 0) {
        state_ = State::data_cr;
      }
      continue;
    }
    if (const char* why = advance(data[step.consumed])) {
      step.status = Parse::bad;
      step.why = why;
      return step;
    }
    ++step.consumed;
  }
  step.status = state_ == State::done ? Parse::done : Parse::more;
  return step;
}

}  // namespace lab::http
