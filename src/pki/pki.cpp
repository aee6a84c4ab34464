#include "pki/pki.hpp"

#include "pki/openssl.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <optional>

namespace lab::pki {

namespace {

constexpr unsigned kKeyBits = 2048;
constexpr long kDay = 24L * 3600;
constexpr long kValidDays = 365;
constexpr mode_t kPrivate = 0600, kPublic = 0644;

Error openssl_error(const std::string& action) {
  const unsigned long code = ERR_get_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return Error{action + ": " + (reason == nullptr ? "OpenSSL gave no reason" : reason), {}, {}, {}};
}

struct Pair {
  KeyPtr key;
  CertificatePtr certificate;
};

std::filesystem::path certificate_file(const std::filesystem::path& folder, const std::string& name) { return folder / (name + ".pem"); }
std::filesystem::path key_file(const std::filesystem::path& folder, const std::string& name) { return folder / (name + ".key"); }

// Nothing when it is missing, broken, of another key, or ends within a day: then it is made anew.
std::optional<Pair> load_valid(const std::filesystem::path& folder, const std::string& name) {
  const FilePtr key_text(BIO_new_file(key_file(folder, name).c_str(), "r"));
  const FilePtr certificate_text(BIO_new_file(certificate_file(folder, name).c_str(), "r"));
  Pair pair;
  if (key_text != nullptr && certificate_text != nullptr) {
    pair.key.reset(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
    pair.certificate.reset(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
  }
  ERR_clear_error();
  if (pair.key == nullptr || pair.certificate == nullptr || X509_check_private_key(pair.certificate.get(), pair.key.get()) != 1) {
    return std::nullopt;
  }
  time_t tomorrow = time(nullptr) + kDay;
  if (X509_cmp_time(X509_get0_notAfter(pair.certificate.get()), &tomorrow) <= 0) {
    return std::nullopt;
  }
  return pair;
}

Result<void> write_file(const std::filesystem::path& file, const std::string& text, mode_t mode) {
  const std::string part = file.string() + ".part";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) {
    return system_error("create " + part, errno, "make its folder writable");
  }
  const bool written = fchmod(fd, mode) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  const int why = errno;
  close(fd);
  if (!written || rename(part.c_str(), file.c_str()) != 0) {
    const int failure = written ? errno : why;
    unlink(part.c_str());
    return system_error("write " + file.string(), failure, failure == ENOSPC ? "free some disk space" : "");
  }
  return {};
}

template <class Write>
Result<std::string> as_pem(const std::string& what, Write write) {
  const FilePtr memory(BIO_new(BIO_s_mem()));
  if (memory == nullptr || write(memory.get()) != 1) {
    return openssl_error("write " + what);
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

Result<std::string> certificate_pem(X509* certificate) {
  return as_pem("a certificate", [certificate](BIO* to) { return PEM_write_bio_X509(to, certificate); });
}

Result<void> save(const std::filesystem::path& folder, const std::string& name, const Pair& pair, X509* issuer) {
  auto key = as_pem("a key", [&](BIO* to) { return PEM_write_bio_PrivateKey(to, pair.key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  auto chain = certificate_pem(pair.certificate.get());
  if (issuer != nullptr && chain) {
    auto rest = certificate_pem(issuer);
    chain = rest ? Result<std::string>(*chain + *rest) : std::move(rest);
  }
  if (!key || !chain) {
    return (key ? chain : key).error();
  }
  // The key first: a certificate whose key is missing would be kept by nobody.
  if (auto written = write_file(key_file(folder, name), *key, kPrivate); !written) {
    return written;
  }
  return write_file(certificate_file(folder, name), *chain, kPublic);
}

bool add_extension(X509* certificate, X509* issuer, int extension, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr made(X509V3_EXT_conf_nid(nullptr, &context, extension, value.c_str()));
  return made != nullptr && X509_add_ext(certificate, made.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  constexpr int kSerialBits = 127;  // RFC 5280 section 4.1.2.2: positive, at most 20 octets
  const NumberPtr serial(BN_new());
  return serial != nullptr && BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// A certificate with everything but extensions and signature.
bool fill(X509* certificate, EVP_PKEY* key, const std::string& common_name, X509* issuer) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const auto* const text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) != nullptr &&  // clocks of nodes differ
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidDays * kDay) != nullptr &&
         X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("lab"), -1, -1, 0) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, X509_get_subject_name(issuer == nullptr ? certificate : issuer)) == 1 &&
         X509_set_pubkey(certificate, key) == 1;
}

bool is_address(const std::string& text) {
  in6_addr ignored{};
  return inet_pton(AF_INET, text.c_str(), &ignored) == 1 || inet_pton(AF_INET6, text.c_str(), &ignored) == 1;
}

std::string alternative_names(const std::vector<std::string>& names_and_addresses) {
  std::string text;
  for (const std::string& name : names_and_addresses) {
    text += text.empty() ? "" : ",";
    text += is_address(name) ? "IP:" + name + ",DNS:" + name : "DNS:" + name;  // some compare addresses as names: nginx
  }
  return text;
}

bool matches(X509* certificate, const std::string& name) {
  return is_address(name) ? X509_check_ip_asc(certificate, name.c_str(), 0) == 1
                          : X509_check_host(certificate, name.c_str(), name.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
}

constexpr std::size_t kCommonNameLimit = 64;  // RFC 5280, ub-common-name

Result<Pair> make(const std::string& common_name, const Pair* authority, const std::string& alternative) {
  Pair pair{KeyPtr(EVP_RSA_gen(kKeyBits)), CertificatePtr(X509_new())};
  if (pair.key == nullptr || pair.certificate == nullptr) {
    return openssl_error("make a key");
  }
  X509* const issuer = authority == nullptr ? nullptr : authority->certificate.get();
  X509* const made = pair.certificate.get();
  bool good = fill(made, pair.key.get(), common_name.substr(0, kCommonNameLimit), issuer) &&
              add_extension(made, made, NID_subject_key_identifier, "hash") &&
              add_extension(made, issuer == nullptr ? made : issuer, NID_authority_key_identifier, "keyid");
  if (authority == nullptr) {
    good = good && add_extension(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add_extension(made, made, NID_key_usage, "critical,keyCertSign,cRLSign");
  } else {
    good = good && add_extension(made, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(made, issuer, NID_key_usage, "critical,digitalSignature,keyEncipherment") &&
           add_extension(made, issuer, NID_ext_key_usage, "serverAuth") && add_extension(made, issuer, NID_subject_alt_name, alternative);
  }
  if (!good || X509_sign(made, authority == nullptr ? pair.key.get() : authority->key.get(), EVP_sha256()) <= 0) {
    return openssl_error("make a certificate for " + common_name);
  }
  return pair;
}

}  // namespace

Result<void> ensure_authority(const std::filesystem::path& folder, const std::string& name) {
  if (load_valid(folder, "ca")) {
    return {};
  }
  auto made = make("lab " + name + " authority", nullptr, {});
  return made ? save(folder, "ca", *made, nullptr) : made.error();
}

Result<void> ensure_certificate(const std::filesystem::path& folder, const std::string& name,
                                const std::vector<std::string>& names_and_addresses) {
  const auto authority = load_valid(folder, "ca");
  if (!authority) {
    return Error{"no valid authority in " + folder.string(), {}, "run `lab down`, then `lab up`: it makes one", {}};
  }
  const auto present = load_valid(folder, name);
  const auto named = [&](const std::string& wanted) { return matches(present->certificate.get(), wanted); };
  if (present && X509_verify(present->certificate.get(), X509_get0_pubkey(authority->certificate.get())) == 1 &&
      std::all_of(names_and_addresses.begin(), names_and_addresses.end(), named)) {
    return {};
  }
  ERR_clear_error();
  const std::string common_name = names_and_addresses.empty() ? name : names_and_addresses.front();
  auto made = make(common_name, &*authority, alternative_names(names_and_addresses));
  return made ? save(folder, name, *made, authority->certificate.get()) : made.error();
}

}  // namespace lab::pki
