// Which request of a browser is answered with what. No I/O.
#pragma once

#include "live/feed.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace lab::live {

struct Request {
  std::string method, target, host;
  std::string fetch_site, fetch_mode;  // Sec-Fetch-Site, Sec-Fetch-Mode (W3C Fetch Metadata); empty where not sent
};

using Text = std::shared_ptr<const std::string>;

struct Reply {
  unsigned status = 200;
  std::string content_type;
  std::string policy;   // Content-Security-Policy
  Text body;            // not sent to HEAD, but counted
  bool events = false;  // the body is what happens from now on
};

// A page elsewhere can have its own name resolve to this server (DNS rebinding); it then asks in that name. So only
// numeric addresses, localhost and `own_name` are answered, whatever the port: it may be forwarded.
bool trusted_host(std::string_view host, std::string_view own_name);

struct Content {
  const Feed& feed;
  Text report;           // null while the run goes on
  std::string own_name;  // of this host
};

// GET and HEAD of / (the view, or the report once there is one), /live.js, /live.css, /events and /state.
Reply reply_to(const Request& request, const Content& content);

// Status line and fields, ended by an empty line. The connection closes after each reply.
std::string head_of(const Reply& reply);

}  // namespace lab::live
