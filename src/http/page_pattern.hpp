// The bytes of `/page/<bytes>`: one endless printable pattern, so that every page is a prefix of every longer one.
// Lines of 64 bytes: a line number, letters drawn from it, a newline; after 1,024 lines (64 KiB) it begins again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lab::http {

inline constexpr std::size_t kPagePeriod = 64 * 1024;
inline constexpr std::uint64_t kMaxPage = std::uint64_t{1} << 30;

// Two periods, so that any window of up to one period is contiguous: page_block().substr(offset % kPagePeriod, n).
std::string_view page_block();

void fill_page(std::span<char> out, std::uint64_t offset);              // the pattern's bytes from `offset` on
bool matches_page(std::string_view bytes, std::uint64_t offset);        // are these the bytes at `offset`?
std::optional<std::uint64_t> page_size_of_path(std::string_view path);  // "/page/5939", "/page/5.8KB"; at most kMaxPage

}  // namespace lab::http
