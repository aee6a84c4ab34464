#include "roles/pages/heads.hpp"

#include "http/message.hpp"

namespace lab::pages {

namespace {

constexpr std::string_view kStart = "HTTP/1.1 ";
constexpr std::string_view kDate = "Date: ";
constexpr std::size_t kDateAt = std::string_view("HTTP/1.1 200 OK\r\nDate: ").size();

std::string_view connection_line(Persistence persistence) {
  switch (persistence) {
    case Persistence::keep_alive: return "Connection: keep-alive\r\n";
    case Persistence::close: return "Connection: close\r\n";
    default: return "";
  }
}

}  // namespace

std::string make_head(int status, std::string_view content_type, std::uint64_t length, Persistence persistence, std::int64_t unix_seconds,
                      std::string_view extra) {
  std::string head{kStart};
  head.append(std::to_string(status)).append(" ").append(http::reason_phrase(status)).append("\r\n");
  head.append(kDate).append(http::http_date(unix_seconds)).append("\r\nServer: lab-pages\r\nContent-Type: ").append(content_type);
  head.append("\r\nContent-Length: ").append(std::to_string(length)).append("\r\n");
  return head.append(connection_line(persistence)).append(extra).append("\r\n");
}

std::string_view HeadCache::page_head(std::uint64_t length, Persistence persistence, std::int64_t unix_seconds) {
  const std::uint64_t key = length * 4 + static_cast<std::uint64_t>(persistence);
  if (entries_.size() >= kMaxEntries && !entries_.contains(key)) {
    entries_.clear();
  }
  Entry& entry = entries_[key];
  if (entry.head.empty()) {
    entry = {make_head(200, "text/plain", length, persistence, unix_seconds), unix_seconds};
  } else if (entry.dated != unix_seconds) {
    if (date_of_ != unix_seconds) {
      date_ = http::http_date(unix_seconds);
      date_of_ = unix_seconds;
    }
    entry.head.replace(kDateAt, date_.size(), date_);
    entry.dated = unix_seconds;
  }
  return entry.head;
}

}  // namespace lab::pages
