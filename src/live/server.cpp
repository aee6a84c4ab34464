#include "live/server.hpp"

#include "live/hub.hpp"

#include <charconv>

namespace lab::live {

namespace {

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(port) : std::nullopt;
}

}  // namespace

Result<Address> parse_address(const std::string& text) {
  const Error wrong{
      "this is no address to listen on: " + text, "--web", "give one such as 127.0.0.1:0, [::1]:8080 or 8080", {}, Failure::usage};
  const auto colon = text.rfind(':');
  const auto port = port_of(std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1));
  if (!port) {
    return wrong;
  }
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.empty() || host == "localhost") {
    host = "127.0.0.1";
  } else if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return wrong;
  }
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address(host, failed);
  if (failed) {
    return wrong;
  }
  return Address{address.to_string(), *port, address.is_loopback()};
}

Server::Server(std::unique_ptr<Hub> hub, std::string url) : hub_(std::move(hub)), url_(std::move(url)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const Address& address, Begin begin, Limits limits) {
  auto hub = std::make_unique<Hub>(std::move(begin), limits);
  const auto bound = hub->listen(address);
  if (!bound) {
    return bound.error();
  }
  hub->serve();
  return std::unique_ptr<Server>(new Server(std::move(hub), "http://" + *bound + "/"));
}

void Server::tell(Event event) { hub_->take(std::move(event)); }
void Server::end(std::string report, std::string why) { hub_->end(std::move(report), std::move(why)); }
bool Server::fetched(std::chrono::milliseconds within) { return hub_->fetched(within); }

}  // namespace lab::live
