// Whole numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab::cli {

// A check for options with a whole number: digits only, in a range. CLI11 alone takes "-1" for 2^64 − 1, what is too large for the
// largest there is, and "010" for 8.
inline CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            std::uint64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
              return "\"" + text + "\" is no whole number from " + std::to_string(least) + " to " + std::to_string(most);
            }
            text = std::to_string(value);
            return std::string();
          },
          "N"};
}

inline constexpr std::uint64_t kMostCounted = 9'223'372'036'854'775'807;  // as in a file

}  // namespace lab::cli
