// One client: its requests one after the other, each judged, then answered here or forwarded; one log line for each.
#pragma once

#include "roles/gateway/answers.hpp"
#include "roles/gateway/exchange.hpp"
#include "roles/gateway/forwarding.hpp"
#include "roles/gateway/thread_context.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lab::gateway {

class ClientConnection;

// Who owns the connections.
class ClientOwner {
 public:
  virtual ~ClientOwner() = default;
  virtual void on_closed(ClientConnection& connection) = 0;  // destroy it after this batch of events
};

class ClientConnection final : public net::Watcher, public BackendUser {
 public:
  ClientConnection(ThreadContext& thread, ClientOwner& owner, net::Fd fd, std::string client_host);
  ~ClientConnection() override;

  // tls: null for plain HTTP.
  void start(SSL_CTX* tls);
  void drain();      // closes at once if no request is under way, else after it
  void close_now();  // the drain's deadline

  std::size_t slot = 0;  // for the owner

 private:
  enum class State { handshaking, reading, authenticating, forwarding, answering, lingering, closed };

  void on_events(std::uint32_t events) override;
  void on_backend() override { advance(); }
  void on_timeout();

  void advance();
  bool shake_hands();
  bool read_head();
  bool on_no_more_input(net::Io why);
  bool settle(const Forwarding::Outcome& outcome);
  bool answer();
  bool linger();

  void begin_exchange();
  void decide();
  bool needs_login(const std::optional<BasicCredentials>& credentials) const;
  void log_in(BasicCredentials credentials);
  void on_login(const Login& login);
  void judge();
  void route();
  void serve_local_page();
  bool basic_is_offered() const;

  void refuse(int status, std::string_view why = {}, std::string_view extra_headers = {});
  void refuse_malformed(int status, std::string_view why);
  AnswerHead answer_head(int status, std::string_view extra_headers = {});
  void finish_exchange();
  void record();
  void end_connection();
  void arm(std::chrono::nanoseconds delay) { timer_.arm(delay.count()); }
  Transport transport() const { return channel_.stream.is_tls() ? Transport::https : Transport::http; }

  ThreadContext& thread_;
  ClientOwner& owner_;
  Channel channel_;
  std::string client_host_;
  State state_ = State::reading;
  net::Timer timer_;
  net::Nanos head_deadline_ = 0;  // of the head being read; 0: none begun
  bool unread_request_ = false;   // the client may still be sending what nobody will read
  std::size_t lingered_ = 0;      // bytes read and thrown away
  std::uint64_t progress_ = 0;    // of forwarding_, when the timer was armed

  Exchange exchange_;
  std::string old_session_;  // the id that came with the request
  Answer answer_;
  Forwarding forwarding_;
  std::shared_ptr<ClientConnection*> self_;  // what an answer from the directory finds, or not
};

}  // namespace lab::gateway
