// The URL under load, taken apart (RFC 3986; http and https only).
#pragma once

#include "lab/error.hpp"

#include <cstdint>
#include <string>

namespace lab::load {

struct Url {
  bool tls = false;
  std::string host;  // without brackets
  std::uint16_t port = 0;
  std::string authority;  // the Host header: host, and the port when it is not the scheme's own
  std::string target;     // path and query, at least "/"
  std::string path;       // without the query
};

Result<Url> parse_url(const std::string& text);

}  // namespace lab::load
