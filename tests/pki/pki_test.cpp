#include "pki/pki.hpp"

#include "pki/openssl.hpp"

#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace lab;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<pki::CertificatePtr> chain_of(const std::filesystem::path& file) {
  std::vector<pki::CertificatePtr> chain;
  const pki::FilePtr in(BIO_new_file(file.c_str(), "r"));
  while (X509* const certificate = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
    chain.emplace_back(certificate);
  }
  ERR_clear_error();
  return chain;
}

// As a TLS client checks it.
bool verifies(const std::filesystem::path& authority, X509* certificate) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_load_file(store.get(), authority.c_str());
  X509_STORE_CTX_init(context.get(), store.get(), certificate, nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  return X509_verify_cert(context.get()) == 1;
}

}  // namespace

TEST_CASE("a server's certificate chains to the lab's authority and names its node and address") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "local"));
  REQUIRE(pki::ensure_certificate(folder.path(), "webseal", {"webseal", "127.101.2.4"}));

  const auto chain = chain_of(folder / "webseal.pem");
  REQUIRE(chain.size() == 2);
  CHECK(verifies(folder / "ca.pem", chain.front().get()));
  CHECK(X509_check_ip_asc(chain.front().get(), "127.101.2.4", 0) == 1);
  CHECK(X509_check_host(chain.front().get(), "webseal", 0, 0, nullptr) == 1);
  CHECK(X509_check_host(chain.front().get(), "was", 0, 0, nullptr) == 0);
  CHECK(EVP_PKEY_get_bits(X509_get0_pubkey(chain.front().get())) == 2048);
}

TEST_CASE("keys are readable by their owner only") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "local"));
  REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  for (const char* name : {"ca.key", "was.key"}) {
    CHECK((std::filesystem::status(folder / name).permissions() & std::filesystem::perms::mask) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  }
}

TEST_CASE("what is there and valid is kept") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "local"));
  REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  const std::string before = text_of(folder / "ca.pem") + text_of(folder / "was.pem");
  REQUIRE(pki::ensure_authority(folder.path(), "local"));
  REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  CHECK(text_of(folder / "ca.pem") + text_of(folder / "was.pem") == before);
}

TEST_CASE("a certificate is made anew when an address was added, its file is broken, or its authority is another") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "local"));
  REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  SECTION("an address was added") {
    REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was", "127.0.0.9"}));
    CHECK(X509_check_ip_asc(chain_of(folder / "was.pem").front().get(), "127.0.0.9", 0) == 1);
  }
  SECTION("its file is broken") {
    std::ofstream(folder / "was.pem") << "-----BEGIN CERT";
    REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  }
  SECTION("its authority is another") {
    std::filesystem::remove(folder / "ca.key");
    REQUIRE(pki::ensure_authority(folder.path(), "local"));
    REQUIRE(pki::ensure_certificate(folder.path(), "was", {"was"}));
  }
  CHECK(verifies(folder / "ca.pem", chain_of(folder / "was.pem").front().get()));
}

TEST_CASE("a folder that cannot be written to is named") {
  const auto made = pki::ensure_authority("/nonexistent/folder", "local");
  REQUIRE(!made);
  CHECK(made.error().what == "create /nonexistent/folder/ca.key.part: No such file or directory");
}
