// The bytes of a request, and who it is from.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "roles/load/url.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::load {

struct RequestParts {
  std::string_view authorization = {};  // value of the header; empty: none
  std::string_view cookie = {};
  bool close = false;               // Connection: close
  std::string_view method = "GET";  // others than GET and HEAD have a Content-Length
  std::string_view target = {};     // empty: the URL's
  std::string_view body = {};
  std::string_view type = {};  // Content-Type
};

// A request for the URL into `out`, which is overwritten and keeps its capacity. A `Host` among the headers replaces the URL's.
void write_request(std::string& out, const Url& url, const std::vector<std::string>& headers, const RequestParts& parts);

std::string basic_authorization(const Credentials& credentials);  // RFC 7617: "Basic " and base64 of user:password

// What a WebSEAL login form posts: username, password and login-form-type=pwd, percent-encoded.
std::string login_form(const Credentials& credentials);

// An error for a header that is none (RFC 9110 section 5), or one that the driver writes itself: framing and the connection's.
Result<void> check_header(const std::string& header);

// Whose turn it is. Users of one client are never another's, as long as there are as many users as clients.
class Users {
 public:
  explicit Users(const LoadConfig& config);
  bool empty() const { return count_ == 0; }
  Credentials fixed(std::size_t client) const;                     // the client's own, whenever it logs in
  Credentials next(std::size_t client, std::uint64_t turn) const;  // with a login a page: the client's share, one after the other

 private:
  Credentials at(std::size_t index) const;

  std::vector<Credentials> listed_;
  std::size_t count_ = 0, clients_ = 1;
  unsigned first_ = 1;
};

}  // namespace lab::load
