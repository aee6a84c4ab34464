// The live view of a run over HTTP: a page, its server-sent events, and at the end the report. Read-only.
#pragma once

#include "lab/error.hpp"
#include "live/feed.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace lab::live {

struct Address {
  std::string host;  // numeric
  std::uint16_t port = 0;
  bool loopback = false;
};

// "127.0.0.1:0", "[::1]:8080", "localhost:8080", or "8080" and ":8080", which mean loopback. Errors: a name, no port.
Result<Address> parse_address(const std::string& text);

struct Limits {
  std::size_t clients = 16;                    // connections at a time; one more is answered 503
  std::size_t head_bytes = 8192;               // of a request
  std::size_t waiting = 256;                   // events that a reader has not taken; more and it is dropped
  std::chrono::milliseconds deadline{10'000};  // to send a request, to take what is written
  std::chrono::milliseconds beat{15'000};      // a comment to readers, so that the dead are noticed
};

class Hub;  // what the server's thread owns

class Server {
 public:
  // Listens and serves on a thread of its own. Errors: the address is taken or not this host's.
  static Result<std::unique_ptr<Server>> start(const Address& address, Begin begin, Limits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& url() const { return url_; }  // "http://127.0.0.1:40123/"

  // From any thread; returns at once.
  void tell(Event event);
  // The run is over. `report`: its page, served at / from now on; empty where there is none, and `why`. Readers are told and
  // disconnected.
  void end(std::string report, std::string why);
  // After end(): waits until those who followed the run have fetched the report (without one: been told), at most so long. False: not all
  // did.
  bool fetched(std::chrono::milliseconds within);

 private:
  Server(std::unique_ptr<Hub> hub, std::string url);

  std::unique_ptr<Hub> hub_;
  std::string url_;
};

}  // namespace lab::live
