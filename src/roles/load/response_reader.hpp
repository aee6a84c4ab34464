// One response out of pieces of input: interim heads are passed over, the body goes to its check.
#pragma once

#include "http/message.hpp"
#include "roles/load/body_check.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace lab::load {

class ResponseReader {
 public:
  struct Step {
    http::Parse status = http::Parse::more;  // too_large does not come: it is bad
    std::size_t consumed = 0;
    const char* why = "";
  };

  void begin();  // a request was sent
  // `scratch` is room to parse into. done: the response ended within data; what is behind it was not consumed.
  Step feed(std::string_view data, http::Response& scratch, BodyCheck& check, bool want_cookie);
  // The peer closed: whether that is the response's proper end (RFC 9112 section 6.3, item 8).
  bool ends_at_close() const { return in_body_ && body_.kind == http::BodyKind::until_close; }

  bool started() const { return in_body_ || !head_.empty(); }  // a byte of it came
  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  const std::string& cookie() const { return cookie_; }  // a session's, "NAME=VALUE"; empty when there was none

 private:
  Step take_head(std::string_view data, http::Response& scratch, BodyCheck& check, bool want_cookie);
  Step take_body(std::string_view data, BodyCheck& check);

  std::string head_;  // an incomplete head from earlier pieces
  http::Body body_;
  http::ChunkDecoder chunks_;
  std::string cookie_;
  int status_ = 0;
  bool in_body_ = false;
  bool keep_alive_ = false;
};

}  // namespace lab::load
