// One client: its requests one after the other, each ruled on, then answered here or forwarded; one log line for each.
#pragma once

#include "roles/gateway/admission.hpp"
#include "roles/gateway/transaction.hpp"

#include <memory>
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
  enum class State : std::uint8_t { handshaking, reading, collecting, authenticating, forwarding, answering, lingering, closed };

  void on_events(std::uint32_t events) override;
  void on_backend() override { advance(); }
  void on_timeout();

  void advance();
  bool shake_hands();
  bool read_head();
  bool on_no_more_input(net::Io why);
  bool collect();
  bool settle(const Forwarding::Outcome& outcome);
  bool linger();

  void begin_exchange();
  void follow(Ruling ruling);
  void forward();
  void log_in(BasicCredentials credentials);
  void on_login(const Login& login);
  PrincipalPtr begin_session(const Login& login, KeptPtr kept);
  // login by form: client_login.cpp
  void start_collecting(std::size_t limit);
  void on_collected();
  void keep_and_show_form(std::string body);
  void read_form(const std::string& body);
  void on_form_login(const Login& login);
  void show_form(std::string_view why);
  void log_out();
  void put_in_place(const KeptRequest& kept);

  // what it is answered: client_answers.cpp
  void serve_local();
  bool answer();
  void refuse(int status, std::string_view why = {}, std::string_view extra_headers = {});
  void refuse_malformed(int status, std::string_view why);
  void answer_page(int status, const std::string& body, std::string_view extra_headers = {});
  PageFacts facts(int status, std::string_view text) const;
  AnswerHead answer_head(int status, std::string_view extra_headers = {});
  void finish_exchange();
  void record();
  void end_connection();
  void give_transaction_back();
  void arm(std::chrono::nanoseconds delay) { timer_.arm(delay.count()); }
  const Timeouts& timeouts() const { return thread_.site->config.timeouts; }
  Transport transport() const { return channel_.stream.is_tls() ? Transport::https : Transport::http; }
  Exchange& exchange() { return transaction_->exchange; }

  ThreadContext& thread_;
  ClientOwner& owner_;
  Channel channel_;
  std::string client_host_;
  net::Timer timer_;
  net::Nanos head_deadline_ = 0;  // of the head being read; 0: none begun
  std::size_t lingered_ = 0;      // bytes read and thrown away
  std::uint64_t progress_ = 0;    // of what is under way, when the timer was armed
  State state_ = State::reading;
  bool unread_request_ = false;    // the client may still be sending what nobody will read
  bool collecting_login_ = false;  // the body is the login form; else what is kept over a login
  bool form_login_ = false;        // the directory is asked because of the form

  std::unique_ptr<Transaction> transaction_;  // null between requests
  std::shared_ptr<ClientConnection*> self_;   // what an answer from the directory finds, or not
};

}  // namespace lab::gateway
