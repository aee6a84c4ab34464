// A small request body taken whole: a login form, or what is kept over a login.
#pragma once

#include "http/message.hpp"
#include "roles/gateway/buffer.hpp"

#include <string>

namespace lab::gateway {

class BodyCollector {
 public:
  enum class Status { more, done, bad, too_large };

  void start(const http::Body& body, std::size_t limit);
  Status take(Buffer& in);  // what is there; consumes it
  std::string& body() { return body_; }

 private:
  http::Body kind_;
  std::uint64_t left_ = 0;
  std::size_t limit_ = 0;
  http::ChunkDecoder decoder_;
  std::string body_;
};

}  // namespace lab::gateway
