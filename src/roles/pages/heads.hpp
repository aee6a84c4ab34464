// Response heads of pages, made once for each size and patched with the date: an answer costs a look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lab::pages {

// What a response says about the connection. HTTP/1.0 clients want to be told that it stays open.
enum class Persistence : std::uint8_t { implied, keep_alive, close };

// The head of a response with Content-Length, up to and with the empty line. `extra`: further header lines, each with CRLF.
std::string make_head(int status, std::string_view content_type, std::uint64_t length, Persistence persistence, std::int64_t unix_seconds,
                      std::string_view extra = {});

class HeadCache {
 public:
  // The view holds until the next call.
  std::string_view page_head(std::uint64_t length, Persistence persistence, std::int64_t unix_seconds);

 private:
  struct Entry {
    std::string head;
    std::int64_t dated = 0;
  };
  static constexpr std::size_t kMaxEntries = 1024;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::string date_;
  std::int64_t date_of_ = -1;
};

}  // namespace lab::pages
