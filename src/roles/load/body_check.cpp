#include "roles/load/body_check.hpp"

#include "http/page_pattern.hpp"

#include <openssl/evp.h>
#include <algorithm>

namespace lab::load {

namespace {

constexpr std::uint64_t kSample = 1000;

Sha256 digest_of_page(std::uint64_t size) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
  const std::string_view period = http::page_block().substr(0, http::kPagePeriod);
  for (std::uint64_t left = size; left > 0;) {
    const std::string_view part = period.substr(0, std::min<std::uint64_t>(left, period.size()));
    EVP_DigestUpdate(context, part.data(), part.size());
    left -= part.size();
  }
  Sha256 digest{};
  EVP_DigestFinal_ex(context, digest.data(), nullptr);
  EVP_MD_CTX_free(context);
  return digest;
}

int hex_digit(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
  return value == std::string_view::npos ? -1 : static_cast<int>(value);
}

std::optional<Sha256> parse_digest(std::string_view text) {
  Sha256 digest{};
  if (text.size() != 2 * digest.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    digest[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return digest;
}

HeaderExpectation parse_header(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    return {text, std::nullopt};
  }
  const auto value = std::min(text.find_first_not_of(" \t", colon + 1), text.size());
  return {text.substr(0, colon), text.substr(value)};
}

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

}  // namespace

Result<Expectation> make_expectation(const LoadConfig& config, const std::string& path) {
  Expectation expectation;
  expectation.status = config.expect_status;
  expectation.text = config.expect_text;
  if (!config.expect_header.empty()) {
    expectation.header = parse_header(config.expect_header);
    if (expectation.header->name.empty()) {
      return usage("\"" + config.expect_header + "\" is no header to expect", "write 'Name' or 'Name: value'");
    }
  }
  expectation.bytes = config.expect_bytes;
  if (config.expect_pages) {
    const auto page = path.rfind("/page/");
    const auto size = page == std::string::npos ? std::nullopt : http::page_size_of_path(std::string_view(path).substr(page));
    if (!size) {
      return usage("pages are expected, but " + path + " does not end in /page/<size>", "load for example /page/5.8KB");
    }
    if (config.expect_bytes && *config.expect_bytes != *size) {
      return usage(path + " has " + std::to_string(*size) + " bytes, not the " + std::to_string(*config.expect_bytes) + " expected",
                   "leave --expect-bytes out");
    }
    expectation.bytes = size;
    expectation.pattern = true;
    expectation.digest = digest_of_page(*size);
    expectation.digest_each = kSample;
  }
  if (!config.expect_sha256.empty()) {
    expectation.digest = parse_digest(config.expect_sha256);
    expectation.digest_each = 1;
    if (!expectation.digest) {
      return usage("\"" + config.expect_sha256 + "\" is no SHA-256", "give 64 hexadecimal digits, as sha256sum prints them");
    }
  }
  return expectation;
}

void BodyCheck::DigestDeleter::operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }

void BodyCheck::begin(const Expectation* expected) {
  expected_ = expected;
  length_ = 0;
  wrong_ = Wrong::nothing;
  hashing_ = expected != nullptr && expected->digest && bodies_++ % expected->digest_each == 0;
  if (hashing_) {
    if (!digest_) {
      digest_.reset(EVP_MD_CTX_new());
    }
    EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr);
  }
  found_ = expected == nullptr || expected->text.empty();
  tail_.clear();
}

void BodyCheck::take(std::string_view part) {
  if (expected_ != nullptr && expected_->pattern && wrong_ == Wrong::nothing && !http::matches_page(part, length_)) {
    wrong_ = Wrong::pattern;
    differs_at_ = length_;
  }
  if (hashing_) {
    EVP_DigestUpdate(digest_.get(), part.data(), part.size());
  }
  if (!found_ && expected_ != nullptr) {
    look_for_text(part);
  }
  length_ += part.size();
}

// Also where it is split between parts.
void BodyCheck::look_for_text(std::string_view part) {
  const std::string& wanted = expected_->text;
  const std::size_t seam = std::min(part.size(), wanted.size() - 1);
  tail_.append(part.substr(0, seam));
  found_ = tail_.find(wanted) != std::string::npos || part.find(wanted) != std::string_view::npos;
  if (part.size() >= wanted.size()) {
    tail_.assign(part.substr(part.size() - (wanted.size() - 1)));
  } else if (tail_.size() >= wanted.size()) {
    tail_.erase(0, tail_.size() - (wanted.size() - 1));
  }
}

bool BodyCheck::complete() {
  if (expected_ == nullptr) {
    return true;
  }
  if (expected_->bytes && length_ != *expected_->bytes) {
    wrong_ = Wrong::length;
  } else if (hashing_ && wrong_ == Wrong::nothing) {
    Sha256 digest{};
    EVP_DigestFinal_ex(digest_.get(), digest.data(), nullptr);
    wrong_ = digest == *expected_->digest ? Wrong::nothing : Wrong::digest;
  }
  if (wrong_ == Wrong::nothing && !found_) {
    wrong_ = Wrong::text;
  }
  return wrong_ == Wrong::nothing;
}

std::string BodyCheck::why() const {
  switch (wrong_) {
    case Wrong::length: return "a body of " + std::to_string(length_) + " bytes instead of " + std::to_string(*expected_->bytes);
    case Wrong::pattern: return "the page's bytes differ at or after byte " + std::to_string(differs_at_);
    case Wrong::digest: return "the body's SHA-256 is another one";
    case Wrong::text: return "the body does not contain \"" + expected_->text + "\"";
    default: return {};
  }
}

}  // namespace lab::load
