// Pages out of a real PostgreSQL, and out of one that fails.
#include "roles/peers/database.hpp"

#include "catch_result.hpp"
#include "http/page_pattern.hpp"
#include "roles/pages/service.hpp"
#include "temporary_folder.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

using namespace lab;
using namespace std::chrono_literals;

namespace {

Endpoint free_endpoint() {
  const net::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return {"127.0.0.1", net::Address::local_of(socket.get()).port()};
}

// A cluster in a folder that nobody else may enter.
class PostgreSql {
 public:
  PostgreSql() : before_(std::filesystem::current_path()), config_{free_endpoint(), "lab", "pages", "it's secret", ""} { start(); }
  PostgreSql(const PostgreSql&) = delete;
  PostgreSql& operator=(const PostgreSql&) = delete;
  ~PostgreSql() {
    server_.reset();
    std::filesystem::current_path(before_);
  }
  void stop() { server_.reset(); }
  void start() {
    std::filesystem::current_path(folder_.path());
    auto started = peers::Database::start(config_, Clock::now() + 60s);
    if (!started) {
      FAIL(to_string(started.error()));
    }
    server_ = std::move(*started);
  }
  DatabaseClient client(bool cache) const { return {config_.listen, config_.name, config_.user, config_.password, 2, cache}; }
  bool left() const { return std::filesystem::exists(folder_ / "cluster"); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path before_;
  DatabaseConfig config_;
  std::unique_ptr<peers::Database> server_;
};

std::unique_ptr<pages::Service> serve(const DatabaseClient& database) {
  PagesConfig config;
  config.service.plain = {{"127.0.0.1", 0}};
  config.database = database;
  return pages::Service::start(config).value();
}

// All that comes for these requests until the server closes.
std::string ask(const pages::Service& service, const std::string& requests) {
  auto socket = net::connect_tcp(net::Address::parse(service.listening().front().substr(7)).value()).value();
  const auto wait = [&](short events) {
    pollfd entry{socket.get(), events, 0};
    return poll(&entry, 1, 30'000) == 1;
  };
  REQUIRE(wait(POLLOUT));
  REQUIRE(send(socket.get(), requests.data(), requests.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(requests.size()));
  std::string all;
  std::array<char, 65536> piece;
  while (wait(POLLIN)) {
    const ssize_t got = read(socket.get(), piece.data(), piece.size());
    if (got <= 0) {
      break;
    }
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
  return all;
}

std::string request(const std::string& page, bool last = true) {
  return "GET /page/" + page + " HTTP/1.1\r\nHost: a\r\n" + (last ? "Connection: close\r\n" : "") + "\r\n";
}

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

}  // namespace

TEST_CASE("pages come from PostgreSQL byte for byte, the first time and again, small and large, and pipelined") {
  PostgreSql database;
  const auto service = serve(database.client(false));
  for (const std::size_t size : {std::size_t{5939}, std::size_t{5939}, std::size_t{3'040'870}, std::size_t{0}}) {
    CAPTURE(size);
    const std::string answer = ask(*service, request(std::to_string(size)));
    CHECK(answer.starts_with("HTTP/1.1 200 "));
    const std::string body = body_of(answer);
    CHECK(body.size() == size);
    CHECK(http::matches_page(body, 0));
  }
  CHECK(service->totals().database_reads == 4);
  const std::string many = ask(*service, request("100B", false) + request("12KB", false) + request("100B"));
  CHECK(many.size() > 12'288 + 200);
  CHECK(service->totals().pages == 7);
  CHECK(service->totals().database_reads == 7);
  CHECK(ask(*service, "HEAD /page/100B HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").find("Content-Length: 100\r\n") !=
        std::string::npos);
  CHECK(ask(*service, request("100MB")).starts_with("HTTP/1.1 404 "));
  CHECK(service->totals().database_reads == 7);

  SECTION("a page that is kept is not read again") {
    const auto keeping = serve(database.client(true));
    for (int i = 0; i < 3; ++i) {
      CHECK(body_of(ask(*keeping, request("12KB"))).size() == 12'288);
    }
    CHECK(keeping->totals().database_reads == 1);
    CHECK(keeping->totals().pages == 3);
  }
  SECTION("a wrong password is told, and nothing is served") {
    DatabaseClient wrong = database.client(false);
    wrong.password = "guessed";
    const auto refused = serve(wrong);
    const std::string answer = ask(*refused, request("100B"));
    CHECK(answer.starts_with("HTTP/1.1 503 "));
    CHECK(answer.find("password authentication failed") != std::string::npos);
    CHECK(refused->totals().pages == 0);
  }
  SECTION("a database that went away is an answer of 503, and one that came back is used again") {
    database.stop();
    CHECK_FALSE(database.left());
    CHECK(ask(*service, request("100B")).starts_with("HTTP/1.1 503 "));
    database.start();
    CHECK(ask(*service, request("100B")).starts_with("HTTP/1.1 200 "));
    database.stop();
    database.start();  // behind the kept connections' back
    CHECK(ask(*service, request("100B")).starts_with("HTTP/1.1 200 "));
  }
}

TEST_CASE("while the database is silent others are served, and who waited may go") {
  const Endpoint endpoint = free_endpoint();
  const auto silent = net::listen_tcp(net::Address::resolve(endpoint.host, endpoint.port).value(), false).value();
  const auto service = serve({endpoint, "lab", "pages", "", 1, false});
  auto waiting = net::connect_tcp(net::Address::parse(service->listening().front().substr(7)).value()).value();
  pollfd writable{waiting.get(), POLLOUT, 0};
  REQUIRE(poll(&writable, 1, 10'000) == 1);
  const std::string text = request("100B");
  REQUIRE(send(waiting.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  pollfd asked{silent.get(), POLLIN, 0};
  REQUIRE(poll(&asked, 1, 10'000) == 1);  // the page was asked for
  CHECK(ask(*service, "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").starts_with("HTTP/1.1 200 "));
  waiting.reset();
  service->drain(0s);
}
