// What a page's body has to be, and a check of it piece by piece.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using EVP_MD_CTX = struct evp_md_ctx_st;

namespace lab::load {

using Sha256 = std::array<unsigned char, 32>;

// "Name" or "Name: value"; names ignore case, values must be equal.
struct HeaderExpectation {
  std::string name;
  std::optional<std::string> value;
};

struct Expectation {
  std::vector<int> status;  // empty: 2xx, and 3xx where nothing is expected of the body
  std::optional<HeaderExpectation> header;
  std::string text;  // somewhere in the body; empty: none
  std::optional<std::uint64_t> bytes;
  bool pattern = false;  // the bytes of `lab pages`
  std::optional<Sha256> digest;
  std::uint64_t digest_each = 1;  // of so many bodies one is hashed, the first of each client among them

  bool of_body() const { return bytes || pattern || digest || !text.empty(); }
  bool accepts(int code) const {
    return status.empty() ? code < 300 || (code < 400 && !of_body()) : std::find(status.begin(), status.end(), code) != status.end();
  }
};

// For a path, from --expect-… With --expect-pages (the path ends in /page/<size>; SHA-256 on one in a thousand), --expect-bytes and
// --expect-sha256 (on every body). Contradictions are errors.
Result<Expectation> make_expectation(const LoadConfig& config, const std::string& path);

class BodyCheck {
 public:
  void begin(const Expectation* expected);  // of the next body; nothing expected (an error's text, a login's): it is only counted
  void take(std::string_view part);
  bool complete();          // at its end: whether it is as expected
  std::string why() const;  // what was wrong

  std::uint64_t length() const { return length_; }
  bool hashed() const { return hashing_; }

 private:
  struct DigestDeleter {
    void operator()(EVP_MD_CTX* context) const;
  };
  enum class Wrong { nothing, length, pattern, digest, text };

  void look_for_text(std::string_view part);

  const Expectation* expected_ = nullptr;
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> digest_;
  std::uint64_t bodies_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t differs_at_ = 0;  // offset of the piece that differs
  Wrong wrong_ = Wrong::nothing;
  std::string tail_;  // what may be the beginning of the text expected
  bool hashing_ = false, found_ = false;
};

}  // namespace lab::load
