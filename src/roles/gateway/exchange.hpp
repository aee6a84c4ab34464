// One request and what became of it.
#pragma once

#include "http/message.hpp"
#include "roles/gateway/backend.hpp"
#include "roles/gateway/path.hpp"
#include "roles/gateway/principal.hpp"
#include "roles/gateway/sessions.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace lab::gateway {

struct Exchange {
  http::Request request;       // views into the client's buffer: texts are good until its body is read
  std::size_t head_bytes = 0;  // of the head, not yet taken from that buffer
  Transport transport = Transport::http;
  std::string client_address;  // the peer's, or as a trusted proxy tells it
  bool from_trusted_proxy = false;
  NormalPath path;
  std::shared_ptr<MountPool> mount;  // null: no junction
  std::size_t pinned = kNoServer;    // the server of the junction that a cookie names
  PrincipalPtr principal;            // null: anonymous
  std::string session_id;            // of the session that came with the request; empty: none that is known
  std::string kept_id;               // of a request kept for this client over its login; empty: none
  std::string set_cookie_lines;      // the gateway's own, each a whole line
  bool to_head = false;              // the method is HEAD: known even when the request's views are gone
  bool repeatable = false;           // its method is safe (RFC 9110 section 9.2.1)
  bool upgrade = false;              // to WebSocket, as the client asks
  bool keep_alive = true;            // the client's connection, as far as the client is concerned

  // for the logs
  std::string request_line, agent, referer;
  int status = 0;
  std::uint64_t body_bytes = 0;
  net::Nanos began = 0, backend_began = 0, backend_ended = 0;  // where the log wants times

  bool has_body() const {
    return request.body.kind != http::BodyKind::none && !(request.body.kind == http::BodyKind::length && request.body.length == 0);
  }
};

}  // namespace lab::gateway
