// HTTP as the REST client needs it: one exchange a connection.
#pragma once

#include "lab/units.hpp"

#include <memory>
#include <string>

namespace lab::providers::zvm {

struct Request {
  std::string method, target;
  std::string body, content_type;  // both empty: none
  std::string token;               // X-Auth-Token; empty: none
  std::string admin_token;         // X-Admin-Token; empty: none
};

struct Exchange {
  enum class Outcome {
    answered,
    unreachable,  // nothing was sent
    cut,          // sent, in part perhaps, and no whole answer came: whether it was done is not known
    late,         // likewise, at the deadline
  } outcome = Outcome::unreachable;
  std::string why;  // of what is not answered
  unsigned status = 0;
  std::string body, token;  // X-Auth-Token
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Safe from any thread. Answers are bounded: 1 MiB, heads 16 KiB.
  virtual Exchange exchange(const Request& request, Deadline deadline) = 0;
};

struct Address {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string path;  // before every target: "/feilong", or empty
};

std::unique_ptr<Transport> make_http(const Address& address, const std::string& ca_file);

}  // namespace lab::providers::zvm
