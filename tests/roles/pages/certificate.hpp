// A self-signed certificate for "pages.test" and 127.0.0.1, in a folder that goes with the test.
#pragma once

#include "temporary_folder.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <cstdio>
#include <string>

class Certificate {
 public:
  Certificate() { renew(); }

  // Another certificate under the same file names.
  void renew() {
    EVP_PKEY* pair = EVP_RSA_gen(2048);
    X509* made = X509_new();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made), -60);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, pair);
    const auto* name = reinterpret_cast<const unsigned char*>("pages.test");
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(made, X509_get_subject_name(made));
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:pages.test,DNS:localhost,IP:127.0.0.1");
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, pair, EVP_sha256());
    FILE* file = std::fopen(certificate().c_str(), "w");
    PEM_write_X509(file, made);
    std::fclose(file);
    file = std::fopen(key().c_str(), "w");
    PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(made);
    EVP_PKEY_free(pair);
  }

  std::string certificate() const { return folder_ / "cert.pem"; }
  std::string key() const { return folder_ / "key.pem"; }
  long serial() const { return serial_; }

 private:
  TemporaryFolder folder_;
  long serial_ = 0;
};
