// What a client is answered by the gateway itself: pages of local junctions, refusals, its own pages.
#include "roles/gateway/client_connection.hpp"

#include <algorithm>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kLoggedLine = 2048;  // of a request line that could not be parsed

}  // namespace

void ClientConnection::serve_local() {
  const http::Request& request = exchange().request;
  if (request.method != "GET" && request.method != "HEAD") {
    return refuse(405, "These pages can only be read.", "Allow: GET, HEAD\r\n");
  }
  const Mount& mount = exchange().mount->mount();
  const std::string_view path = std::string_view{exchange().path.path}.substr(mount.point.size());
  Answer& answer = transaction_->answer;
  if (!mount.junction.directory.empty()) {
    std::optional<LocalFile> file = open_local_file(mount.junction.directory, path);
    if (!file) {
      return refuse(404, "There is no such page.");
    }
    answer.file(answer_head(200, exchange().set_cookie_lines), std::move(*file));
  } else if (const auto page = find_local_page(path); !page) {
    return refuse(404, "There is no such page.");
  } else if (page->front) {
    answer.front_page(answer_head(200, exchange().set_cookie_lines));
  } else {
    answer.page(answer_head(200, exchange().set_cookie_lines), page->bytes);
  }
  state_ = State::answering;
}

AnswerHead ClientConnection::answer_head(int status, std::string_view extra_headers) {
  Exchange& exchange = transaction_->exchange;
  exchange.status = status;
  exchange.keep_alive = exchange.keep_alive && !unread_request_ && !thread_.draining;
  progress_ = transaction_->answer.moved();
  arm(timeouts().fragment);
  return {status, thread_.http_date(), extra_headers, exchange.request.minor, exchange.keep_alive, exchange.to_head};
}

PageFacts ClientConnection::facts(int status, std::string_view text) const {
  const Exchange& exchange = transaction_->exchange;
  const std::string_view line = exchange.request_line;
  const auto blank = std::min(line.find(' '), line.size());
  const std::string_view rest = line.substr(std::min(blank + 1, line.size()));
  return {status, text, line.substr(0, blank), rest.substr(0, rest.find(' ')),
          exchange.principal ? std::string_view{exchange.principal->user} : std::string_view{}};
}

void ClientConnection::refuse(int status, std::string_view why, std::string_view extra_headers) {
  const std::string unsent = transaction_->forwarding.take_unsent_text();
  transaction_->answer.text() = unsent;
  answer_page(status, thread_.site->pages.error(facts(status, why)), extra_headers);
}

void ClientConnection::answer_page(int status, const std::string& body, std::string_view extra_headers) {
  transaction_->answer.html(answer_head(status, std::string(extra_headers) + exchange().set_cookie_lines), body);
  state_ = State::answering;
}

// Nothing can be known of such a request, not even where it ends.
void ClientConnection::refuse_malformed(int status, std::string_view why) {
  const std::string_view seen = channel_.in.data();
  if (!transaction_) {
    transaction_ = thread_.take_transaction();
  }
  exchange().request = {};
  exchange().head_bytes = seen.size();
  begin_exchange();
  exchange().request_line = seen.substr(0, std::min(seen.find_first_of("\r\n"), kLoggedLine));
  unread_request_ = true;
  refuse(status, why);
}

bool ClientConnection::answer() {
  Answer& answer = transaction_->answer;
  switch (answer.run(channel_)) {
    case Answer::Status::wait:
      if (progress_ != answer.moved()) {
        progress_ = answer.moved();
        arm(timeouts().fragment);
      }
      return false;
    case Answer::Status::failed:
      record();
      close_now();
      return false;
    case Answer::Status::done: break;
  }
  exchange().body_bytes = answer.body_bytes();
  finish_exchange();
  return true;
}

}  // namespace lab::gateway
