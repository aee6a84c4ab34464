// One response out of pieces of input: interim heads are passed over, the body goes to its check.
#pragma once

#include "http/message.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/cookies.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace lab::load {

// The last head that was parsed: servers send the same bytes again and again, which need not be parsed again.
struct HeadCache {
  std::string bytes;  // empty: nothing cached
  bool to_head = false;
  int status = 0;
  bool keep_alive = false;
  http::Body body;
};

// What a response is wanted for besides its status.
struct Wanted {
  const Expectation* expectation = nullptr;  // none: not a page; its body is only counted
  CookieJar* cookies = nullptr;
  std::string_view path;  // of the request, for cookies
  bool to_head = false;   // the request's method was HEAD
};

class ResponseReader {
 public:
  struct Step {
    http::Parse status = http::Parse::more;  // too_large does not come: it is bad
    std::size_t consumed = 0;
    const char* why = "";
  };

  void begin(const Wanted& wanted);  // a request was sent
  // `scratch` is room to parse into. done: the response ended within data; what is behind it was not consumed.
  Step feed(std::string_view data, http::Response& scratch, HeadCache& cache, BodyCheck& check);
  // The peer closed: whether that is the response's proper end (RFC 9112 section 6.3, item 8).
  bool ends_at_close() const { return in_body_ && body_.kind == http::BodyKind::until_close; }

  bool started() const { return started_; }  // a byte of it came
  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  bool header_as_expected() const { return header_fits_; }

 private:
  Step take_head(std::string_view data, http::Response& scratch, HeadCache& cache, BodyCheck& check);
  Step take_body(std::string_view data, BodyCheck& check);
  Step begin_body(BodyCheck& check, std::size_t consumed);
  void look_at_headers(const http::Response& response);

  Wanted wanted_;
  std::string head_;  // an incomplete head from earlier pieces
  http::Body body_;
  http::ChunkDecoder chunks_;
  int status_ = 0;
  bool started_ = false, in_body_ = false;
  bool keep_alive_ = false;
  bool header_fits_ = true;
};

}  // namespace lab::load
