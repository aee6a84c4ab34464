#include "net/tls.hpp"
#include "driving.hpp"
#include "net/stream.hpp"
#include "roles/pages/certificate.hpp"
#include "scripted_server.hpp"

#include <openssl/ssl.h>

using namespace lab;
using namespace lab::load;
using namespace std::chrono_literals;

namespace {

// An HTTPS server that answers every request with "hello" and notes the names it was asked for (SNI).
class HttpsServer {
 public:
  explicit HttpsServer(const Certificate& certificate, TlsVersion max = TlsVersion::tls1_3)
      : context_(net::make_server_context({certificate.certificate(), certificate.key(), TlsVersion::tls1_2, max, ""}).value()) {
    listener_ = net::listen_tcp(net::Address::parse("127.0.0.1:0").value(), false).value();
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpsServer() {
    stopping_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    for (std::thread& session : sessions_) {
      session.join();
    }
  }
  HttpsServer(const HttpsServer&) = delete;
  HttpsServer& operator=(const HttpsServer&) = delete;

  std::string url(const std::string& host = "127.0.0.1") const {
    return "https://" + host + ":" + std::to_string(net::Address::local_of(listener_.get()).port()) + "/";
  }
  std::vector<std::string> names() {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  void serve() {
    while (!stopping_) {
      pollfd ready{listener_.get(), POLLIN, 0};
      poll(&ready, 1, 1000);
      net::Fd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK));
      if (fd) {
        sessions_.emplace_back([this, taken = std::move(fd)]() mutable { talk(net::Stream(std::move(taken))); });
      }
    }
  }
  static bool wait(const net::Stream& stream) {
    pollfd ready{stream.fd(), POLLIN, 0};
    return poll(&ready, 1, 10'000) == 1;
  }
  void talk(net::Stream stream) {
    if (!stream.start_tls_server(*context_)) {
      return;
    }
    net::IoResult done = stream.handshake();
    while (done.status == net::Io::again && wait(stream)) {
      done = stream.handshake();
    }
    if (done.status != net::Io::ok) {
      return;
    }
    const char* name = SSL_get_servername(stream.ssl(), TLSEXT_NAMETYPE_host_name);
    {
      const std::lock_guard lock(mutex_);
      names_.emplace_back(name == nullptr ? "" : name);
    }
    char buffer[4096];
    for (;;) {
      const net::IoResult got = stream.read(buffer);
      if (got.status == net::Io::ok) {
        stream.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
      } else if (got.status != net::Io::again || !wait(stream)) {
        return;
      }
    }
  }

  net::TlsContext context_;
  net::Fd listener_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<std::string> names_;
  std::vector<std::thread> sessions_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("one handshake a client, and what was negotiated is reported") {
  const Certificate certificate;
  HttpsServer server(certificate);
  LoadConfig config = requests_of(server.url(), 20, 2);
  config.ca = certificate.certificate();
  config.expect_bytes = 5;
  config.tls_max = TlsVersion::tls1_2;
  config.ciphers = "ECDHE-RSA-AES128-GCM-SHA256";
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  const Counts& counts = outcome.tally.in(Window::measure);
  CHECK(counts.done == 20);
  CHECK(counts.full == 2);
  CHECK(counts.resumed == 0);
  CHECK(outcome.tally.tls.count() == 2);
  CHECK(outcome.tally.tls_seen == std::vector<TlsSeen>{{"TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256"}});
}

TEST_CASE("full: a full handshake with every request; resume: one full one a client, then resumed ones") {
  const Certificate certificate;
  for (const TlsVersion version : {TlsVersion::tls1_2, TlsVersion::tls1_3}) {
    HttpsServer server(certificate, version);
    LoadConfig config = requests_of(server.url(), 10, 2);
    config.threads = 2;
    config.ca = certificate.certificate();
    config.handshake = HandshakeMode::full;
    Outcome outcome = drive(config);
    check_adds_up(outcome);
    CHECK(outcome.tally.in(Window::measure).full == 10);
    CHECK(outcome.tally.in(Window::measure).resumed == 0);
    config.handshake = HandshakeMode::resume;
    outcome = drive(config);
    check_adds_up(outcome);
    CHECK(outcome.tally.in(Window::measure).done == 10);
    CHECK(outcome.tally.in(Window::measure).full == 2);
    CHECK(outcome.tally.in(Window::measure).resumed == 8);
    CHECK(outcome.tally.in(Window::measure).reconnects == 0);
  }
}

TEST_CASE("connect, handshake and service are times of their own: none counts in another") {
  const Certificate certificate;
  HttpsServer server(certificate);
  LoadConfig config = requests_of(server.url(), 20);
  config.ca = certificate.certificate();
  config.handshake = HandshakeMode::full;
  const Outcome outcome = drive(config);
  const Tally& tally = outcome.tally;
  CHECK(tally.connect.count() == 20);
  CHECK(tally.tls.count() == 20);
  CHECK(tally.service.count() == 20);
  const double parts = 20 * (tally.connect.mean() + tally.tls.mean() + tally.service.mean());
  CHECK(parts <= static_cast<double>(outcome.end_ns - outcome.start_ns));
}

TEST_CASE("the URL's host is sent as server name, a numeric one is not") {
  const Certificate certificate;
  HttpsServer server(certificate);
  LoadConfig config = requests_of(server.url("localhost"), 1);
  config.ca = certificate.certificate();
  CHECK(all_pages(drive(config).tally).done == 1);
  config.url = server.url();
  CHECK(all_pages(drive(config).tally).done == 1);
  CHECK(server.names() == std::vector<std::string>{"localhost", ""});
}

TEST_CASE("a certificate is verified unless told otherwise") {
  const Certificate certificate, other;
  HttpsServer server(certificate);
  LoadConfig config = requests_of(server.url(), 2);
  config.ca = other.certificate();
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::tls) == 2);
  CHECK(outcome.tally.clients_connected == 0);
  CHECK(
      verdict(outcome).error().what.starts_with("only 0 of 1 connections could be opened: tls: TLS handshake: certificate verify failed"));
  config.insecure = true;
  CHECK(all_pages(drive(config).tally).done == 2);
}

TEST_CASE("a server that speaks no TLS is a failure of class tls") {
  ScriptedServer server([](Session& session) { session.send("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  LoadConfig config = requests_of("https" + server.url().substr(4), 2);
  config.insecure = true;
  const Outcome outcome = drive(config);
  check_adds_up(outcome);
  CHECK(errors_of(outcome, ErrorClass::tls) == 2);
}
