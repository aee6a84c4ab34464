#include "net/tls.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>

namespace lab::net {

namespace {

constexpr std::size_t kReadAhead = 64 * 1024;

int number(TlsVersion version) { return version == TlsVersion::tls1_2 ? TLS1_2_VERSION : TLS1_3_VERSION; }

Error tls_error(const std::string& what, const std::string& remedy) {
  const std::string why = openssl_errors();
  return Error{why.empty() ? what : what + ": " + why, {}, remedy, {}, Failure::usage};
}

Result<void> common(SSL_CTX* context, TlsVersion min, TlsVersion max, const std::string& ciphers) {
  if (min > max) {
    return Error{
        "the lowest TLS version is above the highest", {}, "give --tls-min 1.2 with --tls-max 1.3, or both alike", {}, Failure::usage};
  }
  SSL_CTX_set_min_proto_version(context, number(min));
  SSL_CTX_set_max_proto_version(context, number(max));
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAhead);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  if (!ciphers.empty() && SSL_CTX_set_cipher_list(context, ciphers.c_str()) != 1) {
    return tls_error("no TLS 1.2 cipher in \"" + ciphers + "\"", "see `openssl ciphers -v` for the names");
  }
  return {};
}

Result<void> use_certificate(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return tls_error("cannot use certificate \"" + certificate + "\"", "give a PEM file with the certificate first, then its chain");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return tls_error("cannot use key \"" + key + "\"", "give the certificate's own key as an unencrypted PEM file");
  }
  return {};
}

Result<void> choose(SSL_CTX* context, const TlsClient& settings) {
  if (!settings.ciphersuites.empty() && SSL_CTX_set_ciphersuites(context, settings.ciphersuites.c_str()) != 1) {
    return tls_error("no TLS 1.3 cipher suites in \"" + settings.ciphersuites + "\"", "write for example TLS_AES_128_GCM_SHA256");
  }
  if (!settings.groups.empty() && SSL_CTX_set1_groups_list(context, settings.groups.c_str()) != 1) {
    return tls_error("no groups in \"" + settings.groups + "\"", "write for example X25519:P-256");
  }
  return settings.certificate.empty() ? Result<void>() : use_certificate(context, settings.certificate, settings.key);
}

int choose_http11(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* offered, unsigned length, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, out_length, kHttp11, sizeof kHttp11 - 1, offered, length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

void ContextDeleter::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

std::string peer_subject(const SSL* ssl) {
  X509* const certificate = SSL_get0_peer_certificate(ssl);
  BIO* const out = certificate == nullptr ? nullptr : BIO_new(BIO_s_mem());
  if (out == nullptr) {
    return {};
  }
  X509_NAME_print_ex(out, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* text = nullptr;
  const long length = BIO_get_mem_data(out, &text);
  std::string subject(text, static_cast<std::size_t>(length));
  BIO_free(out);
  return subject;
}

std::string openssl_errors() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    if (reason != nullptr && text.find(reason) == std::string::npos) {
      text += text.empty() ? reason : std::string("; ") + reason;
    }
  }
  return text;
}

std::string openssl_cpu_settings() {
  const char* settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
  return settings == nullptr ? "" : settings;
}

std::vector<std::string> openssl_providers() {
  std::vector<std::string> names;
  const auto add = [](OSSL_PROVIDER* provider, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(OSSL_PROVIDER_get0_name(provider));
    return 1;
  };
  OSSL_PROVIDER_do_all(nullptr, add, &names);
  return names;
}

Result<TlsContext> make_server_context(const TlsServer& settings) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (const Result<void> set = common(context.get(), settings.min, settings.max, settings.ciphers); !set) {
    return set.error();
  }
  if (const Result<void> used = use_certificate(context.get(), settings.certificate, settings.key); !used) {
    return used.error();
  }
  static constexpr unsigned char kSessionContext[] = "lab";
  SSL_CTX_set_session_id_context(context.get(), kSessionContext, sizeof kSessionContext - 1);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_SERVER);
  SSL_CTX_sess_set_cache_size(context.get(), 4096);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http11, nullptr);
  return context;
}

Result<TlsContext> make_client_context(const TlsClient& settings) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  const TlsVersion min = settings.min.value_or(TlsVersion::tls1_2);
  const TlsVersion max = settings.max.value_or(TlsVersion::tls1_3);
  if (const Result<void> set = common(context.get(), min, max, settings.ciphers); !set) {
    return set.error();
  }
  if (const Result<void> chosen = choose(context.get(), settings); !chosen) {
    return chosen.error();
  }
  if (settings.keep_buffers) {
    SSL_CTX_clear_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  }
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  if (settings.verify) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const bool loaded = settings.ca.empty() ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                            : SSL_CTX_load_verify_locations(context.get(), settings.ca.c_str(), nullptr) == 1;
    if (!loaded) {
      return tls_error("cannot use certificates to trust in \"" + settings.ca + "\"", "give a PEM file, or --insecure to trust anybody");
    }
  }
  return context;
}

}  // namespace lab::net
