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
  const Principal& principal;       // the unauthenticated one for anonymous clients
  std::string_view client_address;  // of the client, for iv-remote-address
  std::string_view peer_address;    // of the connection, for X-Forwarded-For
  bool from_trusted_proxy = false;  // then what it says about the client stays, and the peer is added
  bool https = false;               // the client's connection
  bool upgrade = false;             // to WebSocket
  std::string_view server_name;     // the gateway's own, in Via and iv_server_name
};
// Appends the whole head. Stripped: hop-by-hop headers and those that Connection names (RFC 9110 section 7.6.1), every spelling of
// identity and forwarding headers, the gateway's own cookies, Expect; Authorization as -b says. Framing is written anew.
void append_request_head(std::string& out, const RequestHead& head);

struct ResponseHead {
  const http::Response& response;
  const Mount& mount;
  const Server& server;
  bool chunked = false;  // the body goes on in chunks
  int client_minor = 1;
  bool keep_alive = true;
  std::string_view set_cookie_lines;  // of the gateway; whole lines or empty
  std::string_view date;              // for a response without one
};
// Location, Content-Location and Set-Cookie are mapped to the junction.
void append_response_head(std::string& out, const ResponseHead& head);

// An interim response (1xx), without hop-by-hop headers.
void append_interim_head(std::string& out, const http::Response& response);
// 101 of a WebSocket, RFC 6455 section 4.2.2.
void append_switching_head(std::string& out, const ResponseHead& head);

// Does it say something of one connection only? Headers that Connection names besides are not known by their names.
bool is_of_connection(std::string_view name);

}  // namespace lab::gateway
