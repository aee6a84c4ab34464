// A request that is kept while its user logs in through the form, to be made again afterwards.
#pragma once

#include "http/message.hpp"
#include "net/loop.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lab::gateway {

struct KeptRequest {
  std::string location;  // its path and query in normal form: where the browser is sent back to
  std::string head;      // request line and headers, without those of the connection, cookies and framing, and without the empty line
  std::string body;

  std::size_t size() const { return location.size() + head.size() + body.size(); }
};
using KeptPtr = std::shared_ptr<const KeptRequest>;

KeptRequest keep_request(const http::Request& request, std::string location, std::string body);

// The whole request again, with cookies and connection as `now` has them.
std::string replay(const KeptRequest& kept, const http::Request& now);

// Kept requests of clients that have not logged in yet, by an id that goes into their session cookie. Shared by all threads;
// bounded: where one more would be too many, the oldest goes.
class KeptRequests {
 public:
  KeptRequests(std::size_t entries, net::Nanos lifetime) : entries_(entries), lifetime_(lifetime) {}

  std::string put(KeptRequest request, net::Nanos now);  // a new id
  KeptPtr find(std::string_view id, net::Nanos now) const;
  void remove(std::string_view id);
  std::size_t size() const;

 private:
  struct Entry {
    std::string id;
    KeptPtr request;
    net::Nanos since;
  };
  std::size_t entries_;
  net::Nanos lifetime_;
  mutable std::mutex mutex_;
  std::list<Entry> by_age_;  // the youngest first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_id_;
};

}  // namespace lab::gateway
