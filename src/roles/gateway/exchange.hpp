// One request and what became of it.
#pragma once

#include "http/message.hpp"
#include "roles/gateway/junctions.hpp"
#include "roles/gateway/path.hpp"
#include "roles/gateway/principal.hpp"

#include <cstdint>
#include <string>

namespace lab::gateway {

struct Exchange {
  http::Request request;       // views into the client's buffer: texts are good until its body is read
  std::size_t head_bytes = 0;  // of the head, not yet taken from that buffer
  NormalPath path;
  const Mount* mount = nullptr;
  PrincipalPtr principal;       // null: anonymous
  std::string set_cookie_line;  // of a new session; else empty
  bool to_head = false;         // the method is HEAD: known even when the request's views are gone
  bool idempotent = false;      // so is its method
  bool keep_alive = true;       // the client's connection, as far as the client is concerned

  // for the logs
  std::string request_line, agent, referer;
  int status = 0;
  std::uint64_t body_bytes = 0;

  bool has_body() const {
    return request.body.kind != http::BodyKind::none && !(request.body.kind == http::BodyKind::length && request.body.length == 0);
  }
};

}  // namespace lab::gateway
