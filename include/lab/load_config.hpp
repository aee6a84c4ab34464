// What the load driver is told: the value behind `lab load` and its file (docs/load.md).
#pragma once

#include "lab/tls_version.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab {

enum class LoginMode { none, once, every };       // the 401 exchange: never, once a client, with every page
enum class HandshakeMode { once, resume, full };  // full and resume: with each connection; one a request unless said otherwise
enum class LoginMethod { basic, forms };

struct Credentials {
  std::string user, password;
  bool operator==(const Credentials&) const = default;
};

struct LoadStep {    // one of what clients do, drawn by weight for each page
  std::string path;  // with the query
  unsigned weight = 1;
  std::string method = "GET";
  std::string body;
  bool operator==(const LoadStep&) const = default;
};

// The other side of a pair (method.md): the two are loaded in turn. What is absent here is as on the first side.
struct LoadAgainst {
  std::string url;
  std::chrono::nanoseconds slice{std::chrono::milliseconds{100}};  // requests start only within a slice
  std::optional<std::chrono::nanoseconds> gap;                     // after each slice, to drain; absent: found out in a calibration
  std::optional<LoginMode> login;
  std::optional<HandshakeMode> handshake;
  std::optional<TlsVersion> tls_min, tls_max;
  std::optional<std::string> ciphers;
  bool operator==(const LoadAgainst&) const = default;
};

struct LoadConfig {
  std::string url;
  int clients = 1;
  int threads = 1;
  std::optional<double> rate;                 // open loop: requests a second of this driver; absent: closed loop
  bool poisson = false;                       // exponential gaps instead of equal ones
  bool spin = false;                          // threads look again and again in place of sleeping: exact, and a core each
  std::chrono::nanoseconds first_arrival{0};  // after the start: drivers on several nodes take turns by it
  std::uint64_t seed = 1;                     // of Poisson arrivals and of the choice among steps
  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds duration{std::chrono::seconds{10}};
  std::optional<std::uint64_t> requests;                       // -n: stop after so many
  std::optional<std::int64_t> start_at_ns;                     // instant of this host's CLOCK_MONOTONIC; absent: at once
  std::chrono::nanoseconds timeout{std::chrono::seconds{30}};  // of one request
  std::optional<LoadAgainst> against;
  HandshakeMode handshake = HandshakeMode::once;
  std::uint64_t full_each = 0;                           // with resume: of so many handshakes of a client one is full; 0: only the first
  bool close = false;                                    // a connection a request
  std::optional<std::uint64_t> requests_per_connection;  // then a new one
  std::optional<TlsVersion> tls_min, tls_max;
  std::string ciphers;           // OpenSSL list for TLS 1.2
  std::string ciphersuites;      // for TLS 1.3
  std::string groups;            // for the key exchange, "X25519:P-256"
  std::string server_name;       // SNI and the name to verify; empty: the URL's host
  std::string certificate, key;  // a client certificate: PEM chain and key
  bool insecure = false;
  std::string ca;
  std::vector<std::string> sources;  // local addresses, given to clients in turn
  LoginMode login = LoginMode::none;
  LoginMethod method = LoginMethod::basic;
  bool preemptive = false;                     // basic: credentials before they are asked for
  std::string login_path = "/pkmslogin.form";  // forms: POSTed to
  std::string logout_path = "/pkmslogout";
  std::optional<std::uint64_t> logout_after;  // pages of a session
  bool cookies = false;                       // kept per client; implied by a login once
  std::vector<Credentials> users;             // given to clients in turn; with `every`, the next one a page
  std::optional<unsigned> generated_users;    // user000001 … with secret000001 …, first_user on
  unsigned first_user = 1;
  std::chrono::nanoseconds think{0};
  std::vector<std::string> headers;  // "Name: value"
  std::vector<LoadStep> steps;       // empty: a GET of the URL
  std::vector<int> expect_status;    // empty: 2xx, and 3xx where nothing is expected of bodies
  std::optional<std::uint64_t> expect_bytes;
  std::string expect_sha256;
  std::string expect_header;  // "Name" or "Name: value"
  std::string expect_text;    // that every body contains
  bool expect_pages = false;  // length and pattern of `lab pages` bodies
  std::string hdr;            // HdrHistogram log V2 file; empty: none
  std::string csv;            // a line a second; empty: none
  std::string control;        // control socket; empty: none
  bool operator==(const LoadConfig&) const = default;
};

}  // namespace lab
