// What the server's one thread owns: the listener, the feed, and the connections. Others reach it by post() alone.
#pragma once

#include "live/request.hpp"
#include "live/server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <memory>
#include <set>
#include <thread>

namespace lab::live {

class Session;

class Hub {
 public:
  Hub(Begin begin, Limits limits);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  Result<std::string> listen(const Address& address);  // its host and port, as URLs have them
  void serve();                                        // starts the thread

  // From any thread.
  void take(Event event);
  void end(std::string report, std::string why);
  bool fetched(std::chrono::milliseconds within) const;

  // From its own thread, by connections.
  const Limits& limits() const { return limits_; }
  Reply reply(const Request& request) const { return reply_to(request, {feed_, report_, own_name_}); }
  void follow(const std::shared_ptr<Session>& session) { followers_.insert(session); }
  void gone(const std::shared_ptr<Session>& session);
  void sent_report();
  bool ended() const { return ended_; }

 private:
  void accept();
  void beat();
  void one_less();
  void broadcast(const std::string& frame);

  const Limits limits_;
  Feed feed_;
  Text report_;
  std::string own_name_;
  std::set<std::shared_ptr<Session>> sessions_, followers_;
  std::size_t awaited_ = 0;  // readers at the end that have not fetched the report, or not been told that there is none
  std::promise<void> all_fetched_;
  std::shared_future<void> fetched_{all_fetched_.get_future()};
  bool ended_ = false;

  boost::asio::io_context io_{1};  // after what its handlers use
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer beat_{io_}, retry_{io_};
  std::thread thread_;
};

}  // namespace lab::live
