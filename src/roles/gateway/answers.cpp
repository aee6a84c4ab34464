#include "roles/gateway/answers.hpp"

#include "http/message.hpp"
#include "http/page_pattern.hpp"

#include <algorithm>
#include <array>

namespace lab::gateway {

namespace {

constexpr std::size_t kFrontPage = 100;

// Padded with blanks, so that it is exactly as long as the study's page.
std::string make_front_page() {
  std::string page = "<!doctype html><title>gateway</title><p>The gateway serves this page itself.</p>";
  page.resize(kFrontPage - 1, ' ');
  page += '\n';
  return page;
}

}  // namespace

void Answer::append_head(const AnswerHead& head, std::string_view type, std::optional<std::uint64_t> length) {
  text_ += "HTTP/1.1 ";
  text_ += std::to_string(head.status);
  text_ += ' ';
  text_ += http::reason_phrase(head.status);
  text_ += "\r\nDate: ";
  text_ += head.date;
  if (!type.empty()) {
    text_ += "\r\nContent-Type: ";
    text_ += type;
  }
  if (length) {
    text_ += "\r\nContent-Length: ";
    text_ += std::to_string(*length);
  }
  text_ += "\r\n";
  if (!head.keep_alive) {
    text_ += "Connection: close\r\n";
  } else if (head.client_minor == 0) {
    text_ += "Connection: keep-alive\r\n";
  }
  text_ += head.extra;
  text_ += "\r\n";
  page_at_ = page_end_ = 0;
  body_bytes_ = 0;
}

void Answer::append_text(const AnswerHead& head, std::string_view body) {
  append_head(head, "text/html", body.size());
  if (!head.head_only) {
    text_ += body;
    body_bytes_ = body.size();
  }
}

void Answer::error(const AnswerHead& head, std::string_view why) {
  std::string body = "<!doctype html><title>";
  const std::string title = std::to_string(head.status) + " " + std::string(http::reason_phrase(head.status));
  body += title;
  body += "</title><h1>";
  body += title;
  body += "</h1>";
  if (!why.empty()) {
    body += "<p>";
    body += why;
    body += "</p>";
  }
  body += '\n';
  append_text(head, body);
}

void Answer::front_page(const AnswerHead& head) {
  static const std::string page = make_front_page();
  append_text(head, page);
}

void Answer::page(const AnswerHead& head, std::uint64_t bytes) {
  append_head(head, "text/plain", bytes);
  if (!head.head_only) {
    page_end_ = body_bytes_ = bytes;
  }
}

void Answer::no_content(const AnswerHead& head) { append_head(head, "", std::nullopt); }

Answer::Status Answer::run(Channel& sink) {
  while (text_sent_ < text_.size() || page_at_ < page_end_) {
    if (!sink.writable) {
      return sink.broken ? Status::failed : Status::wait;
    }
    std::array<iovec, 5> parts;
    std::size_t count = 0;
    if (text_sent_ < text_.size()) {
      parts[count++] = {text_.data() + text_sent_, text_.size() - text_sent_};
    }
    for (std::uint64_t at = page_at_; at < page_end_ && count < parts.size();) {
      const std::string_view window = http::page_block().substr(at % http::kPagePeriod, http::kPagePeriod);
      const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), page_end_ - at));
      parts[count++] = {const_cast<char*>(window.data()), length};
      at += length;
    }
    std::size_t taken = 0;
    if (sink.send(std::span(parts.data(), count), taken) == net::Io::error) {
      return Status::failed;
    }
    const std::size_t of_text = std::min(taken, text_.size() - text_sent_);
    text_sent_ += of_text;
    page_at_ += taken - of_text;
  }
  if (!sink.stream.flushed()) {
    return sink.broken ? Status::failed : Status::wait;
  }
  text_.clear();
  text_sent_ = 0;
  return Status::done;
}

std::optional<LocalPage> find_local_page(std::string_view path) {
  if (path == "/" || path.empty()) {
    return LocalPage{true, kFrontPage};
  }
  const auto bytes = http::page_size_of_path(path);
  return bytes ? std::optional(LocalPage{false, *bytes}) : std::nullopt;
}

}  // namespace lab::gateway
