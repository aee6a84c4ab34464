#include "roles/pages/service.hpp"

#include "catch_result.hpp"
#include "certificate.hpp"
#include "http/page_pattern.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/tls.hpp"

#include <openssl/ssl.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

using namespace lab;
using namespace std::chrono_literals;

namespace {

// A client that says exactly what it is told, and reads with a deadline.
class Peer {
 public:
  explicit Peer(const std::string& url) {
    const net::Address address = net::Address::parse(url.substr(url.find("//") + 2)).value();
    stream_ = net::Stream(net::connect_tcp(address).value());
    wait(POLLOUT);
    if (url.starts_with("https")) {
      context_ = net::make_client_context({.verify = false}).value();
      REQUIRE(stream_.start_tls_client(*context_, "pages.test", false));
      net::IoResult done = stream_.handshake();
      while (done.status == net::Io::again) {
        wait(POLLIN);
        done = stream_.handshake();
      }
      REQUIRE(done.status == net::Io::ok);
    }
  }

  void send(std::string_view text) {
    while (!text.empty()) {
      const net::IoResult sent = stream_.write(text);
      REQUIRE((sent.status == net::Io::ok || sent.status == net::Io::again));
      text.remove_prefix(sent.bytes);
      if (sent.status == net::Io::again) {
        wait(POLLOUT);
      }
    }
    while (!stream_.flushed()) {
      wait(POLLOUT);
      stream_.flush();
    }
  }

  // Until so many bytes are there; fewer when the server closes.
  std::string read(std::size_t bytes) {
    while (in_.size() < bytes && fill()) {
    }
    const std::string taken = in_.substr(0, bytes);
    in_.erase(0, taken.size());
    return taken;
  }
  std::string read_to_end() { return read(std::string::npos); }

  std::string read_head() {
    while (in_.find("\r\n\r\n") == std::string::npos && fill()) {
    }
    const auto end = in_.find("\r\n\r\n");
    return read(end == std::string::npos ? in_.size() : end + 4);
  }
  void half_close() { ::shutdown(stream_.fd(), SHUT_WR); }
  bool quiet() { return in_.empty() && stream_.read(buffer_).status == net::Io::again; }
  long certificate_serial() {
    X509* certificate = SSL_get1_peer_certificate(stream_.ssl());
    const long serial = ASN1_INTEGER_get(X509_get0_serialNumber(certificate));
    X509_free(certificate);
    return serial;
  }

 private:
  void wait(short events) {
    pollfd ready{stream_.fd(), events, 0};
    REQUIRE(poll(&ready, 1, 10'000) == 1);
  }
  bool fill() {
    for (;;) {
      const net::IoResult got = stream_.read(buffer_);
      if (got.status == net::Io::ok) {
        in_.append(buffer_.data(), got.bytes);
        return true;
      }
      if (got.status != net::Io::again) {
        return false;
      }
      wait(POLLIN);
    }
  }

  net::TlsContext context_;
  net::Stream stream_;
  std::string in_;
  std::array<char, 65536> buffer_{};
};

struct Fixture {
  explicit Fixture(int threads = 1, std::chrono::nanoseconds delay = {}) {
    PagesConfig config;
    config.service.plain = {{"127.0.0.1", 0}};
    config.service.tls = {{"127.0.0.1", 0}};
    config.service.certificate.certificate = certificate.certificate();
    config.service.certificate.key = certificate.key();
    config.service.threads = threads;
    config.delay = delay;
    Result<std::unique_ptr<pages::Service>> started = pages::Service::start(config);
    REQUIRE(started);
    service = std::move(*started);
  }
  const std::string& http() const { return service->listening()[0]; }
  const std::string& https() const { return service->listening()[1]; }

  Certificate certificate;
  std::unique_ptr<pages::Service> service;
};

std::string get(const std::string& target, const std::string& more = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: pages.test\r\n" + more + "\r\n";
}

std::string value_of(const std::string& head, const std::string& name) {
  const auto at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) {
    return "(none)";
  }
  const auto begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

int status_of(const std::string& head) { return head.size() > 12 ? std::stoi(head.substr(9, 3)) : 0; }

constexpr const char* kSha256OfHello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

}  // namespace

TEST_CASE("a page has exactly the bytes asked for, the pattern's, over HTTP and HTTPS") {
  const Fixture fixture;
  for (const std::string& url : {fixture.http(), fixture.https()}) {
    Peer peer(url);
    const std::pair<const char*, std::size_t> pages[] = {{"0", 0},        {"1", 1},         {"100B", 100},      {"5.8KB", 5939},
                                                         {"12KB", 12288}, {"65537", 65537}, {"2.9MB", 3040870}, {"5.8KB", 5939}};
    for (const auto& [size, bytes] : pages) {
      CAPTURE(url, size);
      peer.send(get("/page/" + std::string(size)));
      const std::string head = peer.read_head();
      CHECK(status_of(head) == 200);
      CHECK(value_of(head, "Content-Length") == std::to_string(bytes));
      const std::string body = peer.read(bytes);
      CHECK(body.size() == bytes);
      CHECK(http::matches_page(body, 0));
      CHECK(peer.quiet());
    }
  }
}

TEST_CASE("HEAD answers with a page's head alone") {
  const Fixture fixture;
  Peer peer(fixture.http());
  peer.send("HEAD /page/5.8KB HTTP/1.1\r\nHost: x\r\n\r\n" + get("/page/1"));
  CHECK(value_of(peer.read_head(), "Content-Length") == "5939");
  CHECK(value_of(peer.read_head(), "Content-Length") == "1");
}

TEST_CASE("requests sent together are answered in order, also while the answers do not fit into the socket") {
  const Fixture fixture;
  for (const std::string& url : {fixture.http(), fixture.https()}) {
    CAPTURE(url);
    Peer peer(url);
    std::string requests;
    for (int i = 0; i < 20; ++i) {
      requests += get("/page/" + std::to_string(i)) + get("/page/300000?again=" + std::to_string(i));
    }
    peer.send(requests);
    for (std::size_t i = 0; i < 20; ++i) {
      CHECK(value_of(peer.read_head(), "Content-Length") == std::to_string(i));
      CHECK(peer.read(i).size() == i);
      CHECK(value_of(peer.read_head(), "Content-Length") == "300000");
      CHECK(http::matches_page(peer.read(300000), 0));
    }
  }
}

TEST_CASE("a request that comes a byte at a time is answered once") {
  const Fixture fixture;
  Peer peer(fixture.http());
  for (const char c : get("/page/3")) {
    peer.send({&c, 1});
  }
  CHECK(status_of(peer.read_head()) == 200);
  CHECK(peer.read(3).size() == 3);
  CHECK(fixture.service->totals().requests == 1);
}

TEST_CASE("a delayed page comes no sooner, and in its order") {
  const Fixture fixture(1, std::chrono::milliseconds(50));
  Peer peer(fixture.http());
  const net::Nanos began = net::monotonic_now();
  peer.send(get("/page/3") + get("/page/4", "Connection: close\r\n"));
  CHECK(value_of(peer.read_head(), "Content-Length") == "3");
  CHECK(net::monotonic_now() - began >= 50'000'000);
  CHECK(peer.read(3).size() == 3);
  CHECK(value_of(peer.read_head(), "Content-Length") == "4");
  CHECK(peer.read_to_end().size() == 4);
  CHECK(net::monotonic_now() - began >= 100'000'000);
}

TEST_CASE("while a page is delayed others are answered, and who asked for it may go") {
  const Fixture fixture(1, std::chrono::seconds(10));
  {
    Peer peer(fixture.http());
    peer.send(get("/page/3"));
    Peer other(fixture.http());
    other.send(get("/echo"));
    CHECK(status_of(other.read_head()) == 200);
  }
  fixture.service->drain(std::chrono::seconds(5));
  CHECK(fixture.service->totals().pages == 0);
}

TEST_CASE("who asks for the connection to close gets the page and then the end") {
  const Fixture fixture;
  for (const std::string& url : {fixture.http(), fixture.https()}) {
    Peer peer(url);
    peer.send(get("/page/2.9MB", "Connection: close\r\n"));
    const std::string head = peer.read_head();
    CHECK(value_of(head, "Connection") == "close");
    CHECK(peer.read_to_end().size() == 3040870);
  }
}

TEST_CASE("HTTP/1.0 keeps a connection only when asked, and says so") {
  const Fixture fixture;
  Peer peer(fixture.http());
  peer.send("GET /page/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(value_of(peer.read_head(), "Connection") == "keep-alive");
  peer.read(1);
  peer.send("GET /page/1 HTTP/1.0\r\n\r\n");
  CHECK(value_of(peer.read_head(), "Connection") == "close");
  CHECK(peer.read_to_end().size() == 1);
}

TEST_CASE("what is no page is 404, another method 405 with the ones allowed, and the connection stays") {
  const Fixture fixture;
  Peer peer(fixture.http());
  for (const char* path : {"/", "/page/", "/page/x", "/page/-1", "/page/1e3", "/pages/1", "/page/99999999999999"}) {
    CAPTURE(path);
    peer.send(get(path));
    const std::string head = peer.read_head();
    CHECK(status_of(head) == 404);
    peer.read(std::stoul(value_of(head, "Content-Length")));
  }
  peer.send("POST /page/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  const std::string head = peer.read_head();
  CHECK(status_of(head) == 405);
  CHECK(value_of(head, "Allow") == "GET, HEAD");
  peer.read(std::stoul(value_of(head, "Content-Length")));
  peer.send(get("http://elsewhere.test/page/2"));
  CHECK(status_of(peer.read_head()) == 200);
}

TEST_CASE("a malformed request is refused, told why, and the connection ends") {
  const Fixture fixture;
  for (const char* request :
       {"GET /page/1\r\n\r\n", "GET /page/1 HTTP/1.1\r\n\r\n", "GET /page/1 HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX"}) {
    CAPTURE(request);
    Peer peer(fixture.http());
    peer.send(request);
    const std::string head = peer.read_head();
    CHECK(status_of(head) == 400);
    CHECK(value_of(head, "Connection") == "close");
    CHECK(peer.read_to_end().size() == std::stoul(value_of(head, "Content-Length")));
  }
}

TEST_CASE("echo tells method, path, headers in order, and length and SHA-256 of the body") {
  const Fixture fixture;
  Peer peer(fixture.http());
  peer.send("PUT /echo?q=1 HTTP/1.1\r\nHost: x\r\nB: 2\r\nA: \"\\\xe9\r\nContent-Length: 5\r\n\r\nhello");
  const std::string head = peer.read_head();
  CHECK(value_of(head, "Content-Type") == "application/json");
  CHECK(peer.read(std::stoul(value_of(head, "Content-Length"))) ==
        R"({"method":"PUT","path":"/echo?q=1","headers":[["Host","x"],["B","2"],["A","\"\\\u00e9"],["Content-Length","5"]],)"
        R"("body_length":5,"body_sha256":")" +
            std::string(kSha256OfHello) + "\"}\n");
}

TEST_CASE("a chunked body is decoded, and the next request behind it is one of its own") {
  const Fixture fixture;
  for (const std::string& url : {fixture.http(), fixture.https()}) {
    Peer peer(url);
    peer.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nTrailer: t\r\n\r\n" +
              get("/page/1"));
    const std::string head = peer.read_head();
    const std::string json = peer.read(std::stoul(value_of(head, "Content-Length")));
    CHECK(json.find(kSha256OfHello) != std::string::npos);
    CHECK(status_of(peer.read_head()) == 200);
  }
}

TEST_CASE("a large upload is hashed in passing") {
  const Fixture fixture;
  for (const std::string& url : {fixture.http(), fixture.https()}) {
    Peer peer(url);
    peer.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n");
    peer.send(std::string(8'000'000, 'a'));
    const std::string head = peer.read_head();
    const std::string json = peer.read(std::stoul(value_of(head, "Content-Length")));
    CHECK(json.find("\"body_length\":8000000") != std::string::npos);
  }
}

TEST_CASE("100-continue: asked for and wanted, the body is called for; not wanted, it is refused at once") {
  const Fixture fixture;
  Peer peer(fixture.http());
  peer.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  CHECK(peer.read_head() == "HTTP/1.1 100 Continue\r\n\r\n");
  peer.send("hello");
  const std::string head = peer.read_head();
  CHECK(status_of(head) == 200);
  peer.read(std::stoul(value_of(head, "Content-Length")));
  peer.send("POST /page/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  CHECK(status_of(peer.read_head()) == 405);
  peer.read_to_end();
}

TEST_CASE("counts: requests, pages, their bytes, connections, handshakes") {
  const Fixture fixture;
  Peer plain(fixture.http());
  plain.send(get("/page/10") + get("/nope"));
  plain.read_head();
  plain.read(10);
  plain.read_head();
  Peer secure(fixture.https());
  secure.send(get("/page/5"));
  secure.read_head();
  secure.read(5);
  const pages::Totals totals = fixture.service->totals();
  CHECK(totals.requests == 3);
  CHECK(totals.pages == 2);
  CHECK(totals.bytes == 15);
  CHECK(totals.connections == 2);
  CHECK(totals.handshakes == 1);
}

TEST_CASE("draining: idle connections end, an answer under way is finished, then nobody is let in") {
  const Fixture fixture;
  Peer idle(fixture.http());
  idle.send(get("/page/1"));
  idle.read_head();
  idle.read(1);
  Peer busy(fixture.http());
  busy.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  busy.read_head();
  std::thread drain([&] { fixture.service->drain(20s); });
  CHECK(idle.read_to_end().empty());
  busy.send("hello");
  const std::string head = busy.read_head();
  CHECK(status_of(head) == 200);
  CHECK(value_of(head, "Connection") == "close");
  CHECK(busy.read_to_end().size() == std::stoul(value_of(head, "Content-Length")));
  busy.half_close();
  drain.join();
  const net::Address address = net::Address::parse(fixture.http().substr(7)).value();
  Result<net::Fd> refused = net::connect_tcp(address);
  if (refused) {
    pollfd ready{refused->get(), POLLOUT, 0};
    poll(&ready, 1, 10'000);
    CHECK(net::pending_error(refused->get()) == ECONNREFUSED);
  }
}

TEST_CASE("a certificate read again is shown to connections to come; a broken one changes nothing") {
  Fixture fixture;
  CHECK(Peer(fixture.https()).certificate_serial() == 1);
  fixture.certificate.renew();
  CHECK(fixture.service->reload_certificate());
  CHECK(Peer(fixture.https()).certificate_serial() == 2);
  std::filesystem::remove(fixture.certificate.certificate());
  CHECK_FALSE(fixture.service->reload_certificate());
  CHECK(Peer(fixture.https()).certificate_serial() == 2);
}

TEST_CASE("several threads serve one address, and a port that is in use is an error even then") {
  const Fixture fixture(3);
  for (int i = 0; i < 12; ++i) {
    Peer peer(i % 2 == 0 ? fixture.http() : fixture.https());
    peer.send(get("/page/7"));
    peer.read_head();
    CHECK(peer.read(7).size() == 7);
  }
  PagesConfig second;
  const net::Address address = net::Address::parse(fixture.http().substr(7)).value();
  second.service.plain = {{"127.0.0.1", address.port()}};
  second.service.threads = 3;
  const auto started = pages::Service::start(second);
  REQUIRE_FALSE(started);
  CHECK(started.error().what == "cannot listen on " + address.text() + ": Address already in use");
}

TEST_CASE("malformed TLS ends the connection and nothing else") {
  const Fixture fixture;
  Peer nonsense("http" + fixture.https().substr(5));
  nonsense.send("GET / HTTP/1.1\r\n\r\n");
  nonsense.read_to_end();
  Peer peer(fixture.https());
  peer.send(get("/page/1"));
  CHECK(status_of(peer.read_head()) == 200);
}
