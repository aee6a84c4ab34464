// With real sockets: what a browser and others may do to the server.
#include "live/server.hpp"

#include "catch_result.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using namespace std::chrono_literals;
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

class Client {
 public:
  explicit Client(const live::Server& server) {
    const std::string& url = server.url();
    const auto colon = url.rfind(':');
    socket_.connect({asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)))});
  }

  void send(const std::string& text) { asio::write(socket_, asio::buffer(text)); }
  void get(const std::string& target) { send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); }

  // Until the server closes; what came by then.
  std::string rest() {
    error_code end;
    asio::read(socket_, asio::dynamic_buffer(text_), end);
    return std::exchange(text_, {});
  }

  // Up to and with the next `mark`; less where the server closes before.
  std::string until(const std::string& mark) {
    error_code end;
    const std::size_t size = asio::read_until(socket_, asio::dynamic_buffer(text_), mark, end);
    if (end) {
      return std::exchange(text_, {});
    }
    const std::string taken = text_.substr(0, size);
    text_.erase(0, size);
    return taken;
  }

 private:
  asio::io_context io_;
  tcp::socket socket_{io_};
  std::string text_;
};

std::unique_ptr<live::Server> serving(live::Limits limits = {}) {
  live::Begin begin;
  begin.lab = "a-lab";
  auto server = live::Server::start({"127.0.0.1", 0, true}, begin, limits);
  REQUIRE(server.has_value());
  return std::move(*server);
}

std::string status_of(const std::string& reply) { return reply.substr(0, reply.find("\r\n")); }

}  // namespace

TEST_CASE("an address is numeric or localhost; a port alone means loopback") {
  const auto text = [](const std::string& given) {
    const auto address = live::parse_address(given);
    return address ? address->host + " " + std::to_string(address->port) + (address->loopback ? "" : " open") : "error";
  };
  CHECK(text("127.0.0.1:0") == "127.0.0.1 0");
  CHECK(text("localhost:8080") == "127.0.0.1 8080");
  CHECK(text(":8080") == "127.0.0.1 8080");
  CHECK(text("8080") == "127.0.0.1 8080");
  CHECK(text("[::1]:8080") == "::1 8080");
  CHECK(text("0.0.0.0:8080") == "0.0.0.0 8080 open");
  for (const char* wrong :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "example.com:80", "127.0.0.1:http", "[::1]", "300.0.0.1:1"}) {
    CAPTURE(wrong);
    CHECK(text(wrong) == "error");
  }
  CHECK(live::parse_address("example.com:80").error().failure == Failure::usage);
}

TEST_CASE("an address that is taken is an error that says so") {
  const auto first = serving();
  const auto port = static_cast<std::uint16_t>(std::stoi(first->url().substr(first->url().rfind(':') + 1)));
  const auto second = live::Server::start({"127.0.0.1", port, true}, {});
  REQUIRE_FALSE(second.has_value());
  CHECK(to_string(second.error()) == "the live view cannot listen: Address already in use\n  at --web 127.0.0.1:" + std::to_string(port) +
                                         "\n  choose another port, or 0 for a free one");
}

TEST_CASE("a page is sent whole and the connection closed") {
  const auto server = serving();
  Client client(*server);
  client.get("/");
  const std::string reply = client.rest();
  CHECK(status_of(reply) == "HTTP/1.1 200 OK");
  CHECK(reply.find("Content-Security-Policy: default-src 'none'") != std::string::npos);
  CHECK(reply.ends_with("</html>\n"));
}

TEST_CASE("HEAD has the head alone") {
  const auto server = serving();
  Client client(*server);
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string reply = client.rest();
  CHECK(status_of(reply) == "HTTP/1.1 200 OK");
  CHECK(reply.ends_with("\r\n\r\n"));
}

TEST_CASE("what is no request is refused") {
  const auto server = serving();
  const auto status = [&](const std::string& request) {
    Client client(*server);
    client.send(request);
    return status_of(client.rest());
  };
  CHECK(status("nonsense\r\n\r\n") == "HTTP/1.1 400 Bad Request");
  CHECK(status("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n") == "HTTP/1.1 421 Misdirected Request");
  CHECK(status("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n") == "HTTP/1.1 421 Misdirected Request");
  CHECK(status("GET / HTTP/1.1\r\n\r\n") == "HTTP/1.1 421 Misdirected Request");
  CHECK(status("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello") == "HTTP/1.1 405 Method Not Allowed");
  CHECK(status("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n") == "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST_CASE("readers are sent the state, then the events as they happen") {
  const auto server = serving();
  Client early(*server);
  early.get("/events");
  CHECK(early.until("\r\n\r\n").find("Content-Type: text/event-stream\r\n") != std::string::npos);
  CHECK(early.until("\n\n").starts_with("event: state\ndata: {\"lab\":\"a-lab\""));
  server->tell(live::Logged{"<b>one</b>"});
  CHECK(early.until("\n\n") == "event: logged\ndata: {\"line\":\"<b>one</b>\"}\n\n");
  Client late(*server);
  late.get("/events");
  late.until("\r\n\r\n");
  CHECK(late.until("\n\n").find("\"log\":[\"<b>one</b>\"]") != std::string::npos);
  server->tell(live::Logged{"two"});
  CHECK(early.until("\n\n") == late.until("\n\n"));
}

TEST_CASE("at the end readers are told, and the page is the report") {
  const auto server = serving();
  Client reader(*server);
  reader.get("/events");
  reader.until("\n\n");
  server->end("<!doctype html>report", {});
  CHECK(reader.rest().ends_with("event: ended\ndata: {\"report\":true,\"why\":\"\"}\n\n"));
  CHECK_FALSE(server->fetched(0ms));
  Client page(*server);
  page.get("/");
  CHECK(page.rest().ends_with("\r\n\r\n<!doctype html>report"));
  CHECK(server->fetched(10s));
}

TEST_CASE("where nobody reads, the end waits for nobody") {
  const auto server = serving();
  server->end("<!doctype html>report", {});
  CHECK(server->fetched(10s));
}

TEST_CASE("without a report readers are told why") {
  const auto server = serving();
  Client reader(*server);
  reader.get("/events");
  reader.until("\n\n");
  server->end({}, "the disk is full");
  CHECK(reader.rest().ends_with("event: ended\ndata: {\"report\":false,\"why\":\"the disk is full\"}\n\n"));
  CHECK(server->fetched(10s));
}

TEST_CASE("one client more than there may be is told so, and gets in when another leaves") {
  live::Limits limits;
  limits.clients = 2;
  const auto server = serving(limits);
  auto first = std::make_unique<Client>(*server);
  Client second(*server);
  first->get("/events");
  first->until("\n\n");
  second.get("/events");
  second.until("\n\n");
  {
    Client third(*server);
    third.get("/");
    CHECK(status_of(third.rest()) == "HTTP/1.1 503 Service Unavailable");
  }
  first.reset();
  std::string status;
  for (int attempt = 0; attempt < 1000 && status != "HTTP/1.1 200 OK"; ++attempt) {  // the server notices in its own time
    Client again(*server);
    again.get("/");
    status = status_of(again.rest());
  }
  CHECK(status == "HTTP/1.1 200 OK");
}

TEST_CASE("a reader that takes nothing is dropped, the others are not held up") {
  live::Limits limits;
  limits.waiting = 64;
  const auto server = serving(limits);
  Client slow(*server), quick(*server);
  slow.get("/events");
  slow.until("\n\n");
  quick.get("/events");
  quick.until("\n\n");
  const std::string line(900, 'x');
  for (int i = 0; i < 20'000; ++i) {  // more than the kernel keeps for a socket
    server->tell(live::Logged{line});
    REQUIRE_FALSE(quick.until("\n\n").empty());
  }
  server->end({}, "done");
  CHECK(quick.rest().ends_with("\"why\":\"done\"}\n\n"));
  CHECK(slow.rest().find("\"why\":\"done\"") == std::string::npos);
}

TEST_CASE("who sends no request in time is disconnected") {
  live::Limits limits;
  limits.deadline = 20ms;
  const auto server = serving(limits);
  Client silent(*server);
  CHECK(silent.rest().empty());
}

TEST_CASE("readers get a beat, so that the dead are noticed") {
  live::Limits limits;
  limits.beat = 5ms;
  const auto server = serving(limits);
  Client reader(*server);
  reader.get("/events");
  reader.until("\r\n\r\n");
  reader.until("}\n\n");
  CHECK(reader.until("\n\n") == ":\n\n");
}
