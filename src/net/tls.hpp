// TLS contexts over OpenSSL: certificates, versions, ciphers; what goes wrong comes with OpenSSL's own words.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;

namespace lab::net {

struct ContextDeleter {
  void operator()(SSL_CTX* context) const;
};
using TlsContext = std::unique_ptr<SSL_CTX, ContextDeleter>;

// A server's context: session ids and tickets on, renegotiation and compression off, ALPN http/1.1 when asked for.
Result<TlsContext> make_server_context(const TlsServer& settings);

struct TlsClient {
  std::string ca;  // PEM file to verify against; empty: the system's
  bool verify = true;
  std::optional<TlsVersion> min, max;
  std::string ciphers;            // TLS 1.2 list
  std::string ciphersuites = {};  // TLS 1.3 list; empty: OpenSSL's default
  std::string groups = {};        // for the key exchange, "X25519:P-256"; empty: OpenSSL's default
  std::string certificate = {};   // a client certificate's PEM chain; empty: none
  std::string key = {};           // its PEM key
  bool keep_buffers = false;      // of idle connections too: faster, and some 100 KB each
};
// A client's context. Sessions are not cached by it: whoever resumes keeps the SSL_SESSION.
Result<TlsContext> make_client_context(const TlsClient& settings);

std::string peer_subject(const SSL* ssl);      // of the peer's certificate, as RFC 2253 writes it; empty: there is none
std::string openssl_errors();                  // the thread's queue, emptied, on one line
std::string openssl_cpu_settings();            // OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS) of this process
std::vector<std::string> openssl_providers();  // that libcrypto has loaded into this process, by name

}  // namespace lab::net
