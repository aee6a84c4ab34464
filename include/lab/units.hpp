// Sizes and durations as people write them. 1 KB is 1,024 bytes, as in the study: "5.8KB" is 5,939 bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab {

// "100B", "5.8KB", "12KB", "2.9MB", "1GB" or a bare number of bytes; rounded down to a whole byte. Nothing on bad
// input: neither on parts of a byte ("1.5B", "0.0001KB").
std::optional<std::uint64_t> parse_size(std::string_view text);

// "100ms", "0.3s", "30s", "5m", "24h", "250us"; a bare number is seconds. Nothing on bad or negative input.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

std::string format_size(std::uint64_t bytes);                    // "5.8KB"; the shortest form that parses back to the same bytes
std::string format_duration(std::chrono::nanoseconds duration);  // "300ms", "1.5s", "2m10s"

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
using Deadline = Clock::time_point;       // everything remote has one

}  // namespace lab
