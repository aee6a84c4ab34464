// A request's way through a junction: a server, the request to it, its response to the client, with back-pressure both ways.
#pragma once

#include "roles/gateway/backend.hpp"
#include "roles/gateway/body_pump.hpp"
#include "roles/gateway/exchange.hpp"
#include "roles/gateway/thread_context.hpp"

#include <string>
#include <string_view>

namespace lab::gateway {

class Forwarding {
 public:
  struct Outcome {
    enum class Kind {
      waiting,  // an event of the client or the back end will tell
      done,     // the client has the whole response
      failed,   // nothing of a final response was sent: answer with `status`
      aborted,  // it cannot be ended properly: close
    } kind;
    int status = 0;
    std::string why = {};
  };

  Forwarding(ThreadContext& thread, BackendUser& user, Channel& client, std::string_view client_host);

  void begin(Exchange& exchange);  // exchange.mount is a tcp or ssl junction
  Outcome advance();               // after any event
  Outcome expired();               // after a timeout without progress
  void abandon();                  // the client is gone

  bool connecting() const { return phase_ == Phase::connecting; }
  bool request_sent() const { return uploaded_; }
  // Differs from before when the exchange got on: another step of it, or bytes between client and server.
  std::uint64_t progress() const { return steps_ + upload_.moved() + download_.moved(); }
  std::string take_unsent_text() { return download_.take_unsent_text(); }

 private:
  enum class Phase { none, connecting, head, body };

  Outcome connect();
  void send_request();
  Outcome upload();
  Outcome download();
  Outcome read_head();
  Outcome on_interim(std::size_t head_bytes);
  void begin_response(std::size_t head_bytes);
  Outcome pass_body();
  Outcome lost(const std::string& why);
  Outcome fail(int status, std::string why);
  bool may_repeat() const;
  void enter(Phase phase);
  void let_go(bool reusable);

  ThreadContext& thread_;
  BackendUser& user_;
  Channel& client_;
  std::string_view client_host_;

  Phase phase_ = Phase::none;
  std::uint64_t steps_ = 0;  // phases entered, servers tried, reads of responses' heads
  Exchange* exchange_ = nullptr;
  std::uint64_t tried_ = 0;  // a bit for each server
  bool timed_out_ = false;   // the last server, while connecting
  bool repeated_ = false;
  bool uploaded_ = false, upload_failed_ = false;
  int interims_ = 0;
  ServerPool* server_ = nullptr;
  BackendConnection* backend_ = nullptr;
  BodyPump upload_, download_;
  http::Response response_;
};

}  // namespace lab::gateway
