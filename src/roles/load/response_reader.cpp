#include "roles/load/response_reader.hpp"

namespace lab::load {

void ResponseReader::begin(const Wanted& wanted) {
  wanted_ = wanted;
  head_.clear();
  chunks_.reset();
  status_ = 0;
  started_ = in_body_ = false;
  header_fits_ = true;
}

ResponseReader::Step ResponseReader::feed(std::string_view data, http::Response& scratch, HeadCache& cache, BodyCheck& check) {
  started_ = started_ || !data.empty();
  std::size_t used = 0;
  Step step;
  do {
    step = in_body_ ? take_body(data.substr(used), check) : take_head(data.substr(used), scratch, cache, check);
    used += step.consumed;
  } while (step.status == http::Parse::more && step.consumed > 0 && used < data.size());
  step.consumed = used;
  return step;
}

ResponseReader::Step ResponseReader::take_head(std::string_view data, http::Response& scratch, HeadCache& cache, BodyCheck& check) {
  const std::size_t before = head_.size();
  const bool every_header = wanted_.cookies != nullptr || (wanted_.expectation != nullptr && wanted_.expectation->header);
  if (before == 0 && !every_header && !cache.bytes.empty() && cache.to_head == wanted_.to_head && data.starts_with(cache.bytes)) {
    status_ = cache.status;
    keep_alive_ = cache.keep_alive;
    body_ = cache.body;
    return begin_body(check, cache.bytes.size());
  }
  if (before > 0) {
    head_.append(data);
  }
  const http::ParseResult parsed = http::parse_response(before > 0 ? std::string_view(head_) : data, scratch, wanted_.to_head);
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
  if (every_header) {
    look_at_headers(scratch);
  } else if (before == 0) {
    cache = {std::string(data.substr(0, consumed)), wanted_.to_head, status_, keep_alive_, body_};
  }
  head_.clear();
  return begin_body(check, consumed);
}

ResponseReader::Step ResponseReader::begin_body(BodyCheck& check, std::size_t consumed) {
  in_body_ = true;
  const bool page = wanted_.expectation != nullptr && wanted_.expectation->accepts(status_) && (status_ < 300 || status_ >= 400);
  check.begin(page && !wanted_.to_head ? wanted_.expectation : nullptr);
  const bool empty = body_.kind == http::BodyKind::none || (body_.kind == http::BodyKind::length && body_.length == 0);
  return {empty ? http::Parse::done : http::Parse::more, consumed};
}

void ResponseReader::look_at_headers(const http::Response& response) {
  const HeaderExpectation* expected =
      wanted_.expectation != nullptr && wanted_.expectation->header ? &*wanted_.expectation->header : nullptr;
  header_fits_ = expected == nullptr;
  for (const http::Header& header : response.headers) {
    if (wanted_.cookies != nullptr && http::equals_ignore_case(header.name, "Set-Cookie")) {
      wanted_.cookies->take(header.value, wanted_.path);
    }
    header_fits_ = header_fits_ || (http::equals_ignore_case(header.name, expected->name) &&
                                    expected->value.value_or(std::string(header.value)) == header.value);
  }
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
