#include "roles/gateway/answers.hpp"

#include "http/message.hpp"
#include "http/page_pattern.hpp"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kFrontPage = 100;
constexpr std::size_t kFilePart = 256 * 1024;  // read and sent at once

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
  page_at_ = page_end_ = file_at_ = 0;
  file_ = {};
  body_bytes_ = 0;
}

void Answer::html(const AnswerHead& head, std::string_view body) {
  append_head(head, "text/html; charset=utf-8", body.size());
  if (!head.head_only) {
    text_ += body;
    body_bytes_ = body.size();
  }
}

void Answer::front_page(const AnswerHead& head) {
  static const std::string page = make_front_page();
  html(head, page);
}

void Answer::page(const AnswerHead& head, std::uint64_t bytes) {
  append_head(head, "text/plain", bytes);
  if (!head.head_only) {
    page_end_ = body_bytes_ = bytes;
  }
}

void Answer::file(const AnswerHead& head, LocalFile file) {
  append_head(head, file.type, file.size);
  if (!head.head_only) {
    body_bytes_ = file.size;
    file_ = std::move(file);
  }
}

// The next part of the file as text; false: it ended before the length that was told.
bool Answer::read_file() {
  text_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kFilePart, file_.size - file_at_)));
  text_sent_ = 0;
  const ssize_t got = pread(file_.fd.get(), text_.data(), text_.size(), static_cast<off_t>(file_at_));
  text_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  file_at_ += text_.size();
  return got > 0;
}

void Answer::reset() {
  text_.clear();
  text_sent_ = 0;
  page_at_ = page_end_ = file_at_ = body_bytes_ = 0;
  file_ = {};
}

void Answer::no_content(const AnswerHead& head) { append_head(head, "", std::nullopt); }

Answer::Status Answer::run(Channel& sink) {
  while (text_sent_ < text_.size() || page_at_ < page_end_ || file_at_ < file_.size) {
    if (!sink.writable) {
      return sink.broken ? Status::failed : Status::wait;
    }
    if (text_sent_ == text_.size() && file_at_ < file_.size && !read_file()) {
      return Status::failed;
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
    moved_ += taken;
    const std::size_t of_text = std::min(taken, text_.size() - text_sent_);
    text_sent_ += of_text;
    page_at_ += taken - of_text;
  }
  if (!sink.stream.flushed()) {
    return sink.broken ? Status::failed : Status::wait;
  }
  text_.clear();
  text_sent_ = 0;
  file_ = {};
  file_at_ = 0;
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
