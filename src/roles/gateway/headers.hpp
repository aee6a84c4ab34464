// Message heads as they go on: what hops and clients may not say is taken out before what the gateway says is put in.
#pragma once

#include "http/message.hpp"
#include "roles/gateway/junctions.hpp"
#include "roles/gateway/path.hpp"
#include "roles/gateway/principal.hpp"

#include <string>
#include <string_view>

namespace lab::gateway {

struct RequestHead {
  const http::Request& request;
  const NormalPath& path;
  const Mount& mount;
  const Server& server;
  const Principal& principal;    // the unauthenticated one for anonymous clients
  std::string_view client_host;  // address without port
  std::string_view pseudonym;    // in Via
};
// Appends the whole head. Stripped: hop-by-hop headers and those that Connection names (RFC 9110 section 7.6.1), every spelling of
// identity and forwarding headers, the gateway's own cookies, Expect; Authorization as -b says. Framing is written anew.
void append_request_head(std::string& out, const RequestHead& head);

struct ResponseHead {
  const http::Response& response;
  bool chunked = false;  // the body goes on in chunks
  int client_minor = 1;
  bool keep_alive = true;
  std::string_view set_cookie_line;  // of the gateway; whole line or empty
  std::string_view date;             // for a response without one
};
void append_response_head(std::string& out, const ResponseHead& head);

// An interim response (1xx), without hop-by-hop headers.
void append_interim_head(std::string& out, const http::Response& response);

}  // namespace lab::gateway
