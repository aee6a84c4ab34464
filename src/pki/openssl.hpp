// OpenSSL's objects as owners.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <memory>

namespace lab::pki {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(BIO* file) const { BIO_free_all(file); }
};

using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;
using CertificatePtr = std::unique_ptr<X509, Free>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free>;
using NumberPtr = std::unique_ptr<BIGNUM, Free>;
using FilePtr = std::unique_ptr<BIO, Free>;

}  // namespace lab::pki
