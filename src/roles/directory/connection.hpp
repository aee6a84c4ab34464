// One client's connection to the directory: bytes to messages to the session, answers back.
#pragma once

#include "net/loop.hpp"
#include "net/stream.hpp"
#include "session.hpp"

#include <cstdint>
#include <string>

namespace lab::directory {

class Worker;

class Connection final : public net::Watcher {
 public:
  Connection(Worker& worker, net::Stream stream, Session::Transport transport);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void on_events(std::uint32_t events) override;
  void drain();  // answers what it has read, tells the client, and closes

 private:
  // open: requests are read. starting_tls: when what is in out_ has gone, a handshake follows. ending: …the end follows.
  // lingering: the end is sent, the client's is awaited.
  enum class State : std::uint8_t { handshake, open, starting_tls, ending, lingering, closed };

  void advance();
  bool shake_hands();
  void answer();  // what has been read, as far as the output has room
  bool can_answer() const;
  void follow(Session::Next next);
  bool busy() const { return next_ == Session::Next::search || waiting(); }
  bool waiting() const { return next_ == Session::Next::pause || next_ == Session::Next::hang; }
  void overhear();  // while busy: whether a later message is about the one under way
  void start_tls();
  bool send();     // false: the socket takes no more for now, or is gone
  bool receive();  // false: nothing there for now, or the end
  void discard();
  void disconnect(ldap::ResultCode code, const std::string& why);
  void expired();
  void linger();
  void close();

  Worker& worker_;
  net::Stream stream_;
  net::Timer deadline_;  // for a handshake, a message begun, an answer not taken
  net::Timer pause_;     // a fault's latency
  Session session_;
  State state_;
  Session::Next next_ = Session::Next::request;
  bool readable_ = false;  // since an event, until a read came up short
  bool hung_up_ = false;   // the client sent its end: read up to it
  bool ended_ = false;     // …and it was reached while busy
  bool draining_ = false;
  bool polite_ = false;  // a notice was sent: let the client read it
  std::string in_;
  std::size_t in_at_ = 0;  // answered up to here
  std::string out_;
  std::size_t out_at_ = 0;  // sent up to here
};

}  // namespace lab::directory
