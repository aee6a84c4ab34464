#include "http/page_pattern.hpp"

#include "lab/units.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace lab::http {

namespace {

constexpr std::size_t kLine = 64;

void append_line(std::string& out, std::uint32_t number) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::uint32_t unit = 1000; unit > 0; unit /= 10) {
    out += static_cast<char>('0' + number / unit % 10);
  }
  out += ' ';
  std::uint32_t state = number * 2654435761U + 1;  // xorshift32, seeded by the line's number
  while (out.size() % kLine != kLine - 1) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    out += letters[state >> 26U];
  }
  out += '\n';
}

std::string make_block() {
  std::string block;
  block.reserve(2 * kPagePeriod);
  for (std::uint32_t line = 0; line < 2 * kPagePeriod / kLine; ++line) {
    append_line(block, line % (kPagePeriod / kLine));
  }
  return block;
}

}  // namespace

std::string_view page_block() {
  static const std::string block = make_block();
  return block;
}

void fill_page(std::span<char> out, std::uint64_t offset) {
  const std::string_view block = page_block();
  while (!out.empty()) {
    const std::size_t part = std::min(out.size(), kPagePeriod);
    std::memcpy(out.data(), block.data() + offset % kPagePeriod, part);
    out = out.subspan(part);
    offset += part;
  }
}

bool matches_page(std::string_view bytes, std::uint64_t offset) {
  const std::string_view block = page_block();
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kPagePeriod);
    if (std::memcmp(bytes.data(), block.data() + offset % kPagePeriod, part) != 0) {
      return false;
    }
    bytes.remove_prefix(part);
    offset += part;
  }
  return true;
}

std::optional<std::uint64_t> page_size_of_path(std::string_view path) {
  constexpr std::string_view prefix = "/page/";
  if (!path.starts_with(prefix)) {
    return std::nullopt;
  }
  const auto size = parse_size(path.substr(prefix.size()));
  return size && *size <= kMaxPage ? size : std::nullopt;
}

}  // namespace lab::http
