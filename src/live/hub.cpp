#include "live/hub.hpp"

#include "live/session.hpp"

#include <unistd.h>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <vector>

namespace lab::live {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptAgain{200};  // where this process has no descriptor left

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

Error not_listening(const Address& address, const error_code& failed) {
  const bool taken = failed == asio::error::address_in_use;
  return {"the live view cannot listen: " + failed.message(), "--web " + address.host + ":" + std::to_string(address.port),
          taken ? "choose another port, or 0 for a free one" : "give an address of this host, such as 127.0.0.1:0"};
}

}  // namespace

Hub::Hub(Begin begin, Limits limits) : limits_(limits), feed_(std::move(begin)), own_name_(own_name()) {}

Hub::~Hub() {
  io_.stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  followers_.clear();  // before io_, which they hang on
  sessions_.clear();
}

Result<std::string> Hub::listen(const Address& address) {
  error_code failed;
  const tcp::endpoint wanted(asio::ip::make_address(address.host), address.port);
  acceptor_.open(wanted.protocol(), failed);
  if (!failed) {
    acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    acceptor_.bind(wanted, failed);
  }
  if (!failed) {
    acceptor_.listen(static_cast<int>(limits_.clients), failed);
  }
  if (failed) {
    return not_listening(address, failed);
  }
  const auto bound = acceptor_.local_endpoint();
  const std::string host = bound.address().is_v6() ? "[" + bound.address().to_string() + "]" : bound.address().to_string();
  return host + ":" + std::to_string(bound.port());
}

void Hub::serve() {
  accept();
  beat();
  thread_ = std::thread([this] { io_.run(); });
}

void Hub::accept() {
  acceptor_.async_accept([this](error_code failed, tcp::socket socket) {
    if (failed) {
      retry_.expires_after(kAcceptAgain);
      return retry_.async_wait([this](error_code stopped) {
        if (!stopped) {
          accept();
        }
      });
    }
    auto session = std::make_shared<Session>(std::move(socket), *this);
    const bool room = sessions_.size() < limits_.clients;
    if (sessions_.size() < 2 * limits_.clients) {  // beyond, not even refused: dropped
      sessions_.insert(session);
      room ? session->start() : session->refuse();
    }
    accept();
  });
}

void Hub::beat() {
  beat_.expires_after(limits_.beat);
  beat_.async_wait([this](error_code stopped) {
    if (!stopped) {
      broadcast(":\n\n");
      beat();
    }
  });
}

void Hub::broadcast(const std::string& frame) {
  const auto shared = std::make_shared<const std::string>(frame);
  const std::vector<std::shared_ptr<Session>> readers(followers_.begin(), followers_.end());  // one may drop out
  for (const auto& reader : readers) {
    reader->send(shared);
  }
}

void Hub::take(Event event) {
  asio::post(io_, [this, event = std::move(event)]() mutable {
    if (!ended_) {
      broadcast(feed_.take(std::move(event)));
    }
  });
}

void Hub::end(std::string report, std::string why) {
  asio::post(io_, [this, report = std::move(report), why = std::move(why)]() mutable {
    if (ended_) {
      return;
    }
    ended_ = true;
    const auto frame = std::make_shared<const std::string>(feed_.take(Ended{!report.empty(), std::move(why)}));
    awaited_ = followers_.size();
    if (!report.empty()) {
      report_ = std::make_shared<const std::string>(std::move(report));
    }
    const std::vector<std::shared_ptr<Session>> readers(followers_.begin(), followers_.end());
    for (const auto& reader : readers) {
      reader->send_last(frame);
    }
    if (awaited_ == 0) {
      all_fetched_.set_value();
    }
  });
}

bool Hub::fetched(std::chrono::milliseconds within) const { return fetched_.wait_for(within) == std::future_status::ready; }

void Hub::sent_report() { one_less(); }

void Hub::gone(const std::shared_ptr<Session>& session) {
  if (followers_.erase(session) > 0 && ended_ && report_ == nullptr) {
    one_less();  // it has been told, and there is nothing to fetch
  }
  sessions_.erase(session);
}

void Hub::one_less() {
  if (awaited_ > 0 && --awaited_ == 0) {
    all_fetched_.set_value();
  }
}

}  // namespace lab::live
