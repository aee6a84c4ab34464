#include "net/stream.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <catch2/catch.hpp>
#include <filesystem>

using namespace lab;
using namespace lab::net;

namespace {

// A self-signed certificate for "gateway.test" and 127.0.0.1 in a folder that goes with the test.
class Certificate {
 public:
  Certificate() : folder_(std::filesystem::temp_directory_path() / ("lab-net-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    EVP_PKEY* key = EVP_RSA_gen(2048);
    X509* made = X509_new();
    X509_set_version(made, 2);
    X509_gmtime_adj(X509_getm_notBefore(made), -60);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("gateway.test"), -1,
                               -1, 0);
    X509_set_issuer_name(made, X509_get_subject_name(made));
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:gateway.test,IP:127.0.0.1");
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, key, EVP_sha256());
    save(certificate(), [&](FILE* file) { PEM_write_X509(file, made); });
    save(this->key(), [&](FILE* file) { PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_free(made);
    EVP_PKEY_free(key);
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  std::string certificate() const { return folder_ / "cert.pem"; }
  std::string key() const { return folder_ / "key.pem"; }

 private:
  template <class Write>
  static void save(const std::string& path, Write write) {
    FILE* file = std::fopen(path.c_str(), "w");
    REQUIRE(file != nullptr);
    write(file);
    std::fclose(file);
  }
  std::filesystem::path folder_;
};

struct Pair {
  Stream client, server;
};

Pair connected() {
  Fd listener = listen_tcp(*Address::parse("127.0.0.1:0"), false).value();
  Fd client = connect_tcp(Address::local_of(listener.get())).value();
  pollfd ready{listener.get(), POLLIN, 0};
  REQUIRE(poll(&ready, 1, 5000) == 1);
  Fd server(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  REQUIRE(server);
  return {Stream(std::move(client)), Stream(std::move(server))};
}

void wait_for(const Stream& a, const Stream& b) {
  pollfd ready[] = {{a.fd(), POLLIN, 0}, {b.fd(), POLLIN, 0}};
  poll(ready, 2, 1000);
}

// Drives both handshakes; the client's and the server's last words.
std::pair<IoResult, IoResult> shake_hands(Pair& pair) {
  IoResult client{Io::again}, server{Io::again};
  for (int turn = 0; turn < 100 && (client.status == Io::again || server.status == Io::again); ++turn) {
    client = client.status == Io::again ? pair.client.handshake() : client;
    server = server.status == Io::again ? pair.server.handshake() : server;
    if (client.status == Io::error || server.status == Io::error) {
      break;
    }
  }
  return {client, server};
}

std::string read_all(Stream& from, std::size_t wanted, Stream& to) {
  std::string all;
  std::vector<char> buffer(10'000);
  while (all.size() < wanted) {
    const IoResult got = from.read(buffer);
    if (got.status == Io::ok) {
      all.append(buffer.data(), got.bytes);
    } else if (got.status == Io::again) {
      REQUIRE(to.flush().status != Io::error);
      wait_for(from, from);
    } else {
      break;
    }
  }
  return all;
}

std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  }
  return text;
}

}  // namespace

TEST_CASE("addresses are read and written with their port") {
  CHECK(Address::parse("127.0.0.1:8080")->text() == "127.0.0.1:8080");
  CHECK(Address::parse("[::1]:80")->text() == "[::1]:80");
  for (const char* text : {"127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:x", "::1:80"}) {
    CAPTURE(text);
    CHECK_FALSE(Address::parse(text));
  }
}

TEST_CASE("a port in use is named, with what to do") {
  const Fd first = listen_tcp(*Address::parse("127.0.0.1:0"), false).value();
  const Address taken = Address::local_of(first.get());
  const auto second = listen_tcp(taken, false);
  REQUIRE_FALSE(second);
  CHECK(second.error().what == "cannot listen on " + taken.text() + ": Address already in use");
  CHECK(second.error().remedy == "another process listens there: choose another port, or see who it is with `ss -ltnp`");
}

TEST_CASE("a socket in a folder of any depth can be reached") {
  const auto top = std::filesystem::temp_directory_path() / ("lab-deep-" + std::to_string(getpid()));
  const auto folder = top / std::string(90, 'd') / std::string(90, 'e');
  std::filesystem::create_directories(folder);
  const std::string path = folder / "control.sock";
  {
    const Fd listener = listen_unix(path).value();
    CHECK(connect_unix(path));
    const auto again = listen_unix(path);
    REQUIRE_FALSE(again);
    CHECK(again.error().what == "somebody already listens on " + path);
  }
  CHECK(listen_unix(path));  // stale: replaced
  std::filesystem::remove_all(top);
}

TEST_CASE("TLS carries many records both ways, whole and in order") {
  const Certificate certificate;
  const TlsContext server = make_server_context({.certificate = certificate.certificate(), .key = certificate.key()}).value();
  const auto version = GENERATE(TlsVersion::tls1_2, TlsVersion::tls1_3);
  const TlsContext client = make_client_context({.ca = certificate.certificate(), .max = version}).value();
  Pair pair = connected();
  REQUIRE(pair.server.start_tls_server(*server));
  REQUIRE(pair.client.start_tls_client(*client, "gateway.test", true));
  const auto [client_end, server_end] = shake_hands(pair);
  INFO(pair.client.error() << pair.server.error());
  REQUIRE(client_end.status == Io::ok);
  REQUIRE(server_end.status == Io::ok);

  const std::string sent = pattern(3'040'870);
  std::size_t taken = 0;
  std::string got;
  std::vector<char> buffer(100'000);
  while (got.size() < sent.size()) {
    if (taken < sent.size()) {
      const std::size_t head = std::min<std::size_t>(100, sent.size() - taken);
      const iovec parts[] = {{const_cast<char*>(sent.data()) + taken, head},
                             {const_cast<char*>(sent.data()) + taken + head, sent.size() - taken - head}};
      const IoResult wrote = pair.server.write(parts);
      REQUIRE(wrote.status != Io::error);
      taken += wrote.bytes;
    } else {
      pair.server.flush();
    }
    const IoResult read = pair.client.read(buffer);
    REQUIRE((read.status == Io::ok || read.status == Io::again));
    got.append(buffer.data(), read.bytes);
  }
  CHECK((got == sent));
  REQUIRE(pair.client.write("thanks").bytes == 6);
  CHECK(read_all(pair.server, 6, pair.client) == "thanks");

  pair.server.shutdown();
  wait_for(pair.client, pair.client);
  CHECK(pair.client.read(buffer).status == Io::closed);
}

TEST_CASE("a certificate for another name is refused, with OpenSSL's words") {
  const Certificate certificate;
  const TlsContext server = make_server_context({.certificate = certificate.certificate(), .key = certificate.key()}).value();
  const TlsContext client = make_client_context({.ca = certificate.certificate()}).value();
  Pair pair = connected();
  REQUIRE(pair.server.start_tls_server(*server));
  REQUIRE(pair.client.start_tls_client(*client, "other.test", true));
  CHECK(shake_hands(pair).first.status == Io::error);
  CHECK(pair.client.error() == "certificate verify failed: hostname mismatch");
}

TEST_CASE("garbage instead of a handshake is an error, not a wait") {
  const Certificate certificate;
  const TlsContext server = make_server_context({.certificate = certificate.certificate(), .key = certificate.key()}).value();
  Pair pair = connected();
  REQUIRE(pair.server.start_tls_server(*server));
  REQUIRE(pair.client.write("GET / HTTP/1.1\r\n\r\n").status == Io::ok);
  wait_for(pair.server, pair.server);
  CHECK(pair.server.handshake().status == Io::error);
}

TEST_CASE("a read that finds the socket empty says so, without a system call more") {
  Pair pair = connected();
  REQUIRE(pair.client.write("hello").bytes == 5);
  wait_for(pair.server, pair.server);
  std::vector<char> small(3), large(100);
  REQUIRE(pair.server.read(small).bytes == 3);
  CHECK(pair.server.may_have_more());
  REQUIRE(pair.server.read(large).bytes == 2);
  CHECK_FALSE(pair.server.may_have_more());
}

TEST_CASE("bad TLS settings are told with a remedy") {
  const auto missing = make_server_context({.certificate = "/nowhere.pem", .key = "/nowhere.key"});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().what.find("cannot use certificate \"/nowhere.pem\"") == 0);
  CHECK_FALSE(missing.error().remedy.empty());
  const auto cipher = make_client_context({.verify = false, .ciphers = "NO-SUCH"});
  REQUIRE_FALSE(cipher);
  CHECK(cipher.error().what.find("no TLS 1.2 cipher in \"NO-SUCH\"") == 0);
}
