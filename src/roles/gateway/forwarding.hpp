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
  enum class Waiting { connect, client, backend };  // for whom

  explicit Forwarding(ThreadContext& thread) : thread_(thread) {}

  // exchange.mount is a tcp or ssl junction. false: it has as many requests under way as it may.
  bool begin(Exchange& exchange, BackendUser& user, Channel& client, std::string_view peer_address);
  Outcome advance();  // after any event
  Outcome expired();  // after a timeout without progress
  void abandon();     // the client is gone

  Waiting waiting() const;
  bool request_sent() const { return uploaded_; }
  // Differs from before when the exchange got on: another step of it, or bytes between client and server.
  std::uint64_t progress() const { return steps_ + upload_.moved() + download_.moved(); }
  std::string take_unsent_text() { return download_.take_unsent_text(); }

 private:
  enum class Phase { none, connecting, head, body, tunnel };

  bool count_in();
  void count_out();
  void warn_of_soft_limit(unsigned active);
  Outcome connect();
  void send_request();
  void pin_client();
  Outcome upload();
  Outcome on_bad_upload(int status, const std::string& why);
  Outcome download();
  Outcome read_head();
  Outcome on_interim(std::size_t head_bytes);
  bool begin_tunnel(std::size_t head_bytes);
  Outcome tunnel();
  void begin_response(std::size_t head_bytes);
  Outcome pass_body();
  Outcome finish();
  Outcome lost(const std::string& why);
  Outcome fail(int status, std::string why);
  bool may_repeat() const;
  void enter(Phase phase);
  void let_go(bool reusable);
  void note_backend_end();

  ThreadContext& thread_;
  BackendUser* user_ = nullptr;
  Channel* client_ = nullptr;
  std::string_view peer_address_;

  Phase phase_ = Phase::none;
  std::uint64_t steps_ = 0;  // phases entered, servers tried, reads of responses' heads
  Exchange* exchange_ = nullptr;
  JunctionStatus* counted_ = nullptr;  // where this request is one of those under way
  std::uint64_t tried_ = 0;            // a bit for each server
  bool timed_out_ = false;             // the last server, while connecting
  bool repeated_ = false;
  bool uploaded_ = false, upload_failed_ = false;
  bool client_awaited_ = false;  // for the rest of its body, or to take the response
  int interims_ = 0;
  ServerPool* server_ = nullptr;
  BackendConnection* backend_ = nullptr;
  BodyPump upload_, download_;
  http::Response response_;
};

}  // namespace lab::gateway
