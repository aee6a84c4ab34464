#include "providers/zvm/transport.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace lab::providers::zvm {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::uint64_t kBodyLimit = std::uint64_t{1} << 20;
constexpr std::uint32_t kHeadLimit = 16 << 10;
constexpr unsigned kHttp11 = 11;

// One operation at a time: each is run to its end, which the stream's deadline bounds.
template <class Start>
error_code finish(asio::io_context& loop, Start start) {
  error_code result = asio::error::would_block;
  start([&](error_code failed, auto&&...) { result = failed; });
  loop.restart();
  loop.run();
  return result;
}

http::request<http::string_body> message_of(const Request& request, const Address& address) {
  http::request<http::string_body> message;
  message.method_string(request.method);
  message.target(address.path + request.target);
  message.version(kHttp11);
  const bool ipv6 = address.host.find(':') != std::string::npos;
  message.set(http::field::host, (ipv6 ? "[" + address.host + "]" : address.host) + ":" + address.port);
  message.set(http::field::accept, "application/json");  // without it a bare 404 is a page for people
  message.set(http::field::user_agent, "lab");
  message.set(http::field::connection, "close");
  if (!request.content_type.empty()) {
    message.set(http::field::content_type, request.content_type);
  }
  if (!request.token.empty()) {
    message.set("X-Auth-Token", request.token);
  }
  if (!request.admin_token.empty()) {
    message.set("X-Admin-Token", request.admin_token);
  }
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

Exchange failed(const error_code& error, const char* doing, bool sent) {
  const bool late = error == beast::error::timeout;
  Exchange exchange;
  exchange.outcome = !sent ? Exchange::Outcome::unreachable : late ? Exchange::Outcome::late : Exchange::Outcome::cut;
  exchange.why = std::string(doing) + ": " + (late ? "no answer in time" : error.message());
  return exchange;
}

template <class Stream>
Exchange talk(asio::io_context& loop, Stream& stream, const http::request<http::string_body>& message) {
  if (const auto error = finish(loop, [&](auto done) { http::async_write(stream, message, done); })) {
    return failed(error, "sending the request", true);
  }
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kBodyLimit);
  parser.header_limit(kHeadLimit);
  parser.skip(message.method() == http::verb::head);
  const auto error = finish(loop, [&](auto done) { http::async_read(stream, buffer, parser, done); });
  if (error) {
    return failed(error, "reading the answer", true);
  }
  Exchange exchange;
  exchange.outcome = Exchange::Outcome::answered;
  exchange.status = parser.get().result_int();
  exchange.token = std::string(parser.get()["X-Auth-Token"]);
  exchange.body = std::move(parser.get().body());
  return exchange;
}

class Http final : public Transport {
 public:
  Http(Address address, const std::string& ca_file) : address_(std::move(address)), tls_(asio::ssl::context::tls_client) {
    if (!address_.tls) {
      return;
    }
    tls_.set_verify_mode(asio::ssl::verify_peer);
    tls_.set_verify_callback(asio::ssl::host_name_verification(address_.host));
    error_code ignored;  // what could not be loaded shows when the server's certificate is not believed
    if (ca_file.empty()) {
      tls_.set_default_verify_paths(ignored);
    } else {
      tls_.load_verify_file(ca_file, ignored);
    }
  }

  Exchange exchange(const Request& request, Deadline deadline) override {
    asio::io_context loop;
    error_code unknown;
    const auto places = tcp::resolver(loop).resolve(address_.host, address_.port, unknown);
    if (unknown) {
      return failed(unknown, "looking its address up", false);
    }
    const auto message = message_of(request, address_);
    if (!address_.tls) {
      beast::tcp_stream stream(loop);
      if (const auto error = connect(loop, stream, places, deadline)) {
        return failed(error, "connecting", false);
      }
      return talk(loop, stream, message);
    }
    beast::ssl_stream<beast::tcp_stream> stream(loop, tls_);
    if (const auto error = connect(loop, beast::get_lowest_layer(stream), places, deadline)) {
      return failed(error, "connecting", false);
    }
    SSL_set_tlsext_host_name(stream.native_handle(), address_.host.c_str());
    if (const auto error = finish(loop, [&](auto done) { stream.async_handshake(asio::ssl::stream_base::client, done); })) {
      return failed(error, "agreeing on TLS", false);
    }
    return talk(loop, stream, message);
  }

 private:
  static error_code connect(asio::io_context& loop, beast::tcp_stream& stream, const tcp::resolver::results_type& places,
                            Deadline deadline) {
    stream.expires_at(deadline);
    return finish(loop, [&](auto done) { stream.async_connect(places, done); });
  }

  const Address address_;
  asio::ssl::context tls_;
};

}  // namespace

std::unique_ptr<Transport> make_http(const Address& address, const std::string& ca_file) {
  return std::make_unique<Http>(address, ca_file);
}

}  // namespace lab::providers::zvm
