#include "roles/pages/echo.hpp"

#include <openssl/evp.h>
#include <array>

namespace lab::pages {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_hex(std::string& out, unsigned char byte) {
  out.push_back(kHex[byte >> 4]);
  out.push_back(kHex[byte & 15]);
}

// Header bytes above ASCII have no encoding of their own (RFC 9110 section 5.5); they are shown as Latin-1.
void append_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\u00";
      append_hex(out, byte);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace

void Echo::DigestDeleter::operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }

Echo::Echo(const http::Request& request) : digest_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr);
  json_ = R"({"method":)";
  append_string(json_, request.method);
  json_ += R"(,"path":)";
  append_string(json_, request.target);
  json_ += R"(,"headers":[)";
  for (std::size_t i = 0; i < request.headers.size(); ++i) {
    json_ += i == 0 ? "[" : ",[";
    append_string(json_, request.headers[i].name);
    json_.push_back(',');
    append_string(json_, request.headers[i].value);
    json_.push_back(']');
  }
  json_ += R"(],"body_length":)";
}

void Echo::body(std::string_view part) {
  length_ += part.size();
  EVP_DigestUpdate(digest_.get(), part.data(), part.size());
}

std::string Echo::finish() {
  std::array<unsigned char, 32> sum{};
  EVP_DigestFinal_ex(digest_.get(), sum.data(), nullptr);
  json_ += std::to_string(length_) + R"(,"body_sha256":")";
  for (const unsigned char byte : sum) {
    append_hex(json_, byte);
  }
  return std::move(json_) + "\"}\n";
}

}  // namespace lab::pages
