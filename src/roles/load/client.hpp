// One user with one connection of its own: the next page only after the last one's response.
#pragma once

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/cookies.hpp"
#include "roles/load/response_reader.hpp"
#include "roles/load/tally.hpp"
#include "roles/load/target.hpp"

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
  // `side` and `number` among all clients of that side; what it does is counted in `tally`.
  Client(Worker& worker, const Target& target, std::size_t side, std::size_t number, Tally& tally);
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // A page was counted as begun, now; `due`: when by the open loop's schedule, or 0. `slot`: of a pair's slices.
  void begin_page(net::Nanos now, net::Nanos due, std::size_t slot);
  void park() { state_ = State::idle; }               // until the worker has a page for it
  void wind_up();                                     // the schedule is over: finish now unless a page is under way
  std::optional<net::Nanos> cut_off(net::Nanos now);  // finish at once; the age of the page under way
  void finish();

  std::size_t side() const { return side_; }
  void on_events(std::uint32_t events) override;

 private:
  enum class State : std::uint8_t { idle, connecting, handshake, waiting, finished };
  enum class Exchange : std::uint8_t { page, login, logout };

  // client.cpp: the connection
  void open(net::Nanos now);
  void on_connected();
  void shake_hands();
  void established(net::Nanos now);
  void push();
  void receive();
  void watch_idle();
  void lost(const std::string& why);
  void drop(bool orderly);
  void keep_session();
  void offer_session();

  // client_pages.cpp: what goes over it
  void start_exchange(net::Nanos now);
  std::string_view compose();
  void compose_own();
  Credentials credentials() const;
  void send_password(bool yes);
  void complete(net::Nanos now);
  void complete_page(net::Nanos now, bool keep);
  void complete_login(net::Nanos now, bool keep);
  void complete_logout(bool keep);
  void go_on_with(Exchange exchange, bool keep);
  void end_session();
  void page_done(net::Nanos now);
  void record_times(net::Nanos now);
  void fail_page(ErrorClass error, const std::string& text);
  void count_failure(ErrorClass error, const std::string& text);
  void next_page();
  void back_off();
  void pause(net::Nanos delay);
  void on_timeout();

  Worker& worker_;
  const Target& target_;
  Tally& tally_;
  const std::size_t side_, number_;
  net::Stream stream_;
  net::Timer deadline_, pause_;
  ResponseReader reader_;
  BodyCheck check_;
  State state_ = State::idle;
  Exchange exchange_ = Exchange::page;
  bool hung_up_ = false;  // the server sent its FIN
  bool connected_once_ = false;
  bool retried_ = false;  // this page, after a kept connection turned out to be closed
  bool page_under_way_ = false;
  std::uint64_t served_ = 0, pages_here_ = 0;  // responses and pages on this connection

  const Step* step_ = nullptr;
  CookieJar cookies_;
  std::string authorization_;  // sent with each request; empty: none
  bool logged_in_ = false;     // forms
  std::uint64_t session_pages_ = 0;
  std::string own_request_;  // with this client's password or cookies, for the following
  const Step* own_step_ = nullptr;
  bool own_last_ = false;
  std::uint64_t own_cookies_ = 0;
  std::string_view unsent_;
  bool last_ = false;       // the request under way is the connection's last
  std::uint64_t turn_ = 0;  // pages begun: whose turn it is with a login a page
  std::uint64_t random_;    // draws steps

  net::Nanos due_ = 0, page_began_ = 0, connect_began_ = 0, handshake_began_ = 0, sent_ = 0, first_byte_ = 0;
  std::size_t slot_ = 0;
  unsigned failures_ = 0;  // in a row, that call for a pause
  std::uint64_t handshakes_ = 0;

  struct SessionDeleter {
    void operator()(SSL_SESSION* session) const;
  };
  std::unique_ptr<SSL_SESSION, SessionDeleter> session_;  // to resume
};

}  // namespace lab::load
