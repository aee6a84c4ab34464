#include "roles/load/response_reader.hpp"

#include "roles/load/request.hpp"

namespace lab::load {

void ResponseReader::begin() {
  head_.clear();
  cookie_.clear();
  chunks_.reset();
  status_ = 0;
  in_body_ = false;
}

ResponseReader::Step ResponseReader::feed(std::string_view data, http::Response& scratch, BodyCheck& check, bool want_cookie) {
  std::size_t used = 0;
  Step step;
  do {
    step = in_body_ ? take_body(data.substr(used), check) : take_head(data.substr(used), scratch, check, want_cookie);
    used += step.consumed;
  } while (step.status == http::Parse::more && step.consumed > 0 && used < data.size());
  step.consumed = used;
  return step;
}

ResponseReader::Step ResponseReader::take_head(std::string_view data, http::Response& scratch, BodyCheck& check, bool want_cookie) {
  const std::size_t before = head_.size();
  if (before > 0) {
    head_.append(data);
  }
  const http::ParseResult parsed = http::parse_response(before > 0 ? std::string_view(head_) : data, scratch, false);
  if (parsed.status == http::Parse::more) {
    if (before == 0) {
      head_.assign(data);
    }
    return {http::Parse::more, data.size()};
  }
  if (parsed.status != http::Parse::done) {
    return {http::Parse::bad, 0, parsed.why};
  }
  status_ = scratch.status;
  if (status_ == 101) {
    return {http::Parse::bad, 0, "101 without having asked for it"};
  }
  const std::size_t consumed = parsed.consumed - before;
  if (status_ < 200) {
    head_.clear();
    return {http::Parse::more, consumed};
  }
  keep_alive_ = scratch.keep_alive;
  body_ = scratch.body;
  if (want_cookie) {
    for (const http::Header& header : scratch.headers) {
      if (http::equals_ignore_case(header.name, "Set-Cookie") && !session_cookie(header.value).empty()) {
        cookie_ = session_cookie(header.value);
      }
    }
  }
  head_.clear();
  in_body_ = true;
  check.begin(status_ < 300);
  const bool empty = body_.kind == http::BodyKind::none || (body_.kind == http::BodyKind::length && body_.length == 0);
  return {empty ? http::Parse::done : http::Parse::more, consumed};
}

ResponseReader::Step ResponseReader::take_body(std::string_view data, BodyCheck& check) {
  if (body_.kind == http::BodyKind::chunked) {
    const http::ChunkDecoder::Step step = chunks_.next(data);
    if (!step.body.empty()) {
      check.take(step.body);
    }
    const bool bad = step.status == http::Parse::bad || step.status == http::Parse::too_large;
    return {bad ? http::Parse::bad : step.status, step.consumed, step.why};
  }
  if (body_.kind == http::BodyKind::until_close) {
    check.take(data);
    return {http::Parse::more, data.size()};
  }
  const std::string_view part = data.substr(0, body_.length);
  check.take(part);
  body_.length -= part.size();
  return {body_.length == 0 ? http::Parse::done : http::Parse::more, part.size()};
}

}  // namespace lab::load
