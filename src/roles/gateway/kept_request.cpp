#include "roles/gateway/kept_request.hpp"

#include "roles/gateway/headers.hpp"
#include "roles/gateway/sessions.hpp"

namespace lab::gateway {

KeptRequest keep_request(const http::Request& request, std::string location, std::string body) {
  KeptRequest kept;
  kept.head = std::string(request.method) + " " + location + " HTTP/1.1\r\n";
  for (const http::Header& header : request.headers) {
    if (!is_of_connection(header.name) && !http::equals_ignore_case(header.name, "Cookie") &&
        !http::equals_ignore_case(header.name, "Content-Length") && !http::equals_ignore_case(header.name, "Expect")) {
      kept.head.append(header.name).append(": ").append(header.value).append("\r\n");
    }
  }
  if (!request.find("Host")) {
    kept.head += "Host: \r\n";
  }
  kept.location = std::move(location);
  kept.body = std::move(body);
  return kept;
}

std::string replay(const KeptRequest& kept, const http::Request& now) {
  std::string request = kept.head;
  for (const http::Header& header : now.headers) {
    if (http::equals_ignore_case(header.name, "Cookie")) {
      request.append("Cookie: ").append(header.value).append("\r\n");
    }
  }
  if (!now.keep_alive) {
    request += "Connection: close\r\n";
  }
  if (!kept.body.empty()) {
    request += "Content-Length: " + std::to_string(kept.body.size()) + "\r\n";
  }
  return request + "\r\n" + kept.body;
}

std::string KeptRequests::put(KeptRequest request, net::Nanos now) {
  std::string id = random_session_id();
  const std::lock_guard lock(mutex_);
  if (by_age_.size() >= entries_) {
    by_id_.erase(by_age_.back().id);
    by_age_.pop_back();
  }
  by_age_.push_front({id, std::make_shared<const KeptRequest>(std::move(request)), now});
  by_id_.emplace(by_age_.front().id, by_age_.begin());
  return id;
}

KeptPtr KeptRequests::find(std::string_view id, net::Nanos now) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() || now - found->second->since > lifetime_ ? nullptr : found->second->request;
}

void KeptRequests::remove(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    const auto entry = found->second;
    by_id_.erase(found);
    by_age_.erase(entry);
  }
}

std::size_t KeptRequests::size() const {
  const std::lock_guard lock(mutex_);
  return by_age_.size();
}

}  // namespace lab::gateway
