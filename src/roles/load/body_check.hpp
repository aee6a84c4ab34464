// What a page's body has to be, and a check of it piece by piece.
#pragma once

#include "lab/roles.hpp"
#include "roles/load/url.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

using EVP_MD_CTX = struct evp_md_ctx_st;

namespace lab::load {

using Sha256 = std::array<unsigned char, 32>;

struct Expectation {
  std::optional<std::uint64_t> bytes;
  bool pattern = false;  // the bytes of `lab pages`
  std::optional<Sha256> digest;
  std::uint64_t digest_each = 1;  // of so many bodies one is hashed, the first of each client among them

  bool anything() const { return bytes || pattern || digest; }
};

// From --expect-pages (the URL's path ends in /page/<size>; SHA-256 on one in a thousand), --expect-bytes and
// --expect-sha256 (on every body). Contradictions are errors.
Result<Expectation> make_expectation(const LoadConfig& config, const Url& url);

class BodyCheck {
 public:
  explicit BodyCheck(const Expectation& expectation) : expected_(expectation) {}

  void begin(bool page);  // of the next body; no page (an error's text, a login's): it is only counted
  void take(std::string_view part);
  bool complete();          // at its end: whether it is as expected
  std::string why() const;  // what was wrong

  std::uint64_t length() const { return length_; }
  bool hashed() const { return hashing_; }

 private:
  struct DigestDeleter {
    void operator()(EVP_MD_CTX* context) const;
  };
  enum class Wrong { nothing, length, pattern, digest };

  const Expectation& expected_;
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> digest_;
  std::uint64_t bodies_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t differs_at_ = 0;  // offset of the piece that differs
  Wrong wrong_ = Wrong::nothing;
  bool checking_ = false, hashing_ = false;
};

}  // namespace lab::load
