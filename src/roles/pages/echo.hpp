// `/echo`: the request as JSON, with the length and SHA-256 of its body, which is hashed as it passes and never kept.
#pragma once

#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

using EVP_MD_CTX = struct evp_md_ctx_st;

namespace lab::pages {

class Echo {
 public:
  explicit Echo(const http::Request& request);  // copies what it needs of the head
  void body(std::string_view part);
  // {"method", "path", "headers": [["Name", "value"], …], "body_length", "body_sha256"} and a newline. Once.
  std::string finish();

 private:
  struct DigestDeleter {
    void operator()(EVP_MD_CTX* context) const;
  };
  std::string json_;
  std::uint64_t length_ = 0;
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> digest_;
};

}  // namespace lab::pages
