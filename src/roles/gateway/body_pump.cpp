#include "roles/gateway/body_pump.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace lab::gateway {

namespace {

iovec part_of(std::string_view text) { return {const_cast<char*>(text.data()), text.size()}; }

void append_chunk_size(std::string& out, std::size_t size) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  out.append(digits.data(), end);
  out += "\r\n";
}

}  // namespace

void BodyPump::start(http::Body body, bool chunked_out, std::uint64_t limit) {
  body_kind_ = body;
  left_ = body.length;
  limit_ = limit;
  seen_ = 0;
  decoder_.reset();
  chunked_out_ = chunked_out;
  finished_ = body.kind == http::BodyKind::none || (body.kind == http::BodyKind::length && body.length == 0);
  body_ = suffix_ = {};
  consume_ = 0;
  body_bytes_ = 0;
  begun_ = false;
  why_ = "";
}

BodyPump::Status BodyPump::run(Channel& source, Channel& sink) {
  for (;;) {
    if (consume_ == 0 && !finished_ && !source.in.empty() && !frame(source.in)) {
      return is_too_large() ? Status::source_too_large : Status::source_bad;
    }
    if (pending() || !sink.stream.flushed()) {
      if (const Status sent = flush(sink); sent != Status::done) {
        return sent;
      }
    }
    source.in.consume(std::exchange(consume_, 0));
    if (finished_) {
      source.in.release_if_empty();
      return Status::done;
    }
    if (source.in.empty()) {
      if (const Status got = refill(source); got != Status::done) {
        return got;
      }
    }
  }
}

BodyPump::Status BodyPump::refill(Channel& source) {
  switch (source.fill()) {
    case net::Io::ok: return Status::done;
    case net::Io::again: return Status::wait_source;
    case net::Io::error: return Status::source_failed;
    case net::Io::closed: break;
  }
  if (body_kind_.kind != http::BodyKind::until_close) {
    return Status::source_ended;
  }
  finished_ = true;
  suffix_ = chunked_out_ ? "0\r\n\r\n" : "";
  return Status::done;
}

BodyPump::Status BodyPump::flush(Channel& sink) {
  while (pending()) {
    if (!sink.writable) {
      return sink.broken ? Status::sink_failed : Status::wait_sink;
    }
    const std::string_view text = std::string_view{text_}.substr(text_sent_);
    std::array<iovec, 3> parts;
    std::size_t count = 0;
    for (const std::string_view part : {text, body_, suffix_}) {
      if (!part.empty()) {
        parts[count++] = part_of(part);
      }
    }
    std::size_t taken = 0;
    if (sink.send(std::span(parts.data(), count), taken) == net::Io::error) {
      return Status::sink_failed;
    }
    took(taken);
  }
  if (!sink.stream.flushed()) {
    return sink.broken ? Status::sink_failed : Status::wait_sink;
  }
  return Status::done;
}

void BodyPump::took(std::size_t count) {
  begun_ = begun_ || count > 0;
  moved_ += count;
  const std::size_t of_text = std::min(count, text_.size() - text_sent_);
  text_sent_ += of_text;
  count -= of_text;
  if (text_sent_ == text_.size()) {
    text_.clear();
    text_sent_ = 0;
  }
  const std::size_t of_body = std::min(count, body_.size());
  body_.remove_prefix(of_body);
  body_bytes_ += of_body;
  suffix_.remove_prefix(count - of_body);
}

bool BodyPump::frame(Buffer& in) {
  switch (body_kind_.kind) {
    case http::BodyKind::chunked:
      if (!decode_chunks(in)) {
        return false;
      }
      break;
    case http::BodyKind::length:
      body_ = in.data().substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.data().size())));
      left_ -= body_.size();
      finished_ = left_ == 0;
      consume_ = body_.size();
      break;
    case http::BodyKind::until_close:
      body_ = in.data();
      consume_ = body_.size();
      break;
    case http::BodyKind::none: break;
  }
  seen_ += body_.size();
  if (is_too_large()) {
    body_ = {};
    return false;
  }
  if (chunked_out_) {
    if (!body_.empty()) {
      append_chunk_size(text_, body_.size());
      suffix_ = finished_ ? "\r\n0\r\n\r\n" : "\r\n";
    } else if (finished_) {
      suffix_ = "0\r\n\r\n";
    }
  }
  return true;
}

// The runs of body bytes move together behind the first, so that one read becomes one chunk.
bool BodyPump::decode_chunks(Buffer& in) {
  const std::span<char> bytes = in.bytes();
  std::size_t at = 0;
  std::size_t begin = 0, end = 0;
  while (at < bytes.size()) {
    const auto step = decoder_.next({bytes.data() + at, bytes.size() - at});
    if (!step.body.empty()) {
      const auto offset = static_cast<std::size_t>(step.body.data() - bytes.data());
      if (end == begin) {
        begin = end = offset;
      } else {
        std::memmove(bytes.data() + end, bytes.data() + offset, step.body.size());
      }
      end += step.body.size();
    }
    at += step.consumed;
    if (step.status == http::Parse::bad) {
      why_ = step.why;
      return false;
    }
    if (step.status == http::Parse::done) {
      finished_ = true;
      break;
    }
  }
  body_ = {bytes.data() + begin, end - begin};
  consume_ = at;
  return true;
}

std::string BodyPump::take_unsent_text() {
  if (text_.empty()) {
    return {};
  }
  std::string unsent = text_.substr(text_sent_);
  text_.clear();
  text_sent_ = 0;
  return unsent;
}

}  // namespace lab::gateway
