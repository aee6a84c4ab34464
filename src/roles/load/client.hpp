// One closed-loop user with one connection of its own: the next page only after the last one's response.
#pragma once

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/response_reader.hpp"
#include "roles/load/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

using SSL_SESSION = struct ssl_session_st;

namespace lab::load {

class Worker;

class Client final : public net::Watcher {
 public:
  Client(Worker& worker, std::size_t number);
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void begin_page();                                  // or finish, when the schedule has no more
  void wind_up();                                     // the schedule is over: finish now unless a page is under way
  std::optional<net::Nanos> cut_off(net::Nanos now);  // finish at once; the age of the page under way

  void on_events(std::uint32_t events) override;

 private:
  enum class State : std::uint8_t { idle, connecting, handshake, waiting, finished };

  void open();
  void on_connected();
  void shake_hands();
  void established();
  void send();
  void push();
  void receive();
  void watch_idle();

  void complete(net::Nanos now);
  void log_in(bool keep);
  void page_done(net::Nanos now);
  void lost(const std::string& why);
  void fail_page(ErrorClass error, const std::string& text);
  void count_failure(ErrorClass error, const std::string& text);
  void next_page();
  void back_off();
  void pause(net::Nanos delay);
  void on_timeout();
  void drop(bool orderly);
  void keep_session();
  void finish();

  Worker& worker_;
  const std::size_t number_;
  net::Stream stream_;
  net::Timer deadline_, pause_;
  ResponseReader reader_;
  BodyCheck check_;
  State state_ = State::idle;
  bool hung_up_ = false;  // the server sent its FIN
  bool connected_once_ = false;
  bool retried_ = false;      // this page, after a kept connection turned out to be closed
  std::uint64_t served_ = 0;  // responses on this connection

  std::string own_request_;  // with this client's password or cookie; empty before a login
  std::string_view unsent_;
  bool with_own_ = false;       // the request under way is own_request_
  bool with_password_ = false;  // own_request_ carries a password
  std::uint64_t turn_ = 0;      // pages begun: whose turn it is with a login a page

  net::Nanos page_began_ = 0, connect_began_ = 0, handshake_began_ = 0, sent_ = 0;
  unsigned failures_ = 0;  // in a row, that call for a pause

  struct SessionDeleter {
    void operator()(SSL_SESSION* session) const;
  };
  std::unique_ptr<SSL_SESSION, SessionDeleter> session_;  // to resume
};

}  // namespace lab::load
