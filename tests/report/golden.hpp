// Golden files of the report's tests: LAB_RENEW_GOLDEN=1 renews them.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace lab::report::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

inline void check_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(LAB_SOURCE_DIR) / "tests/report/golden" / name;
  if (std::getenv("LAB_RENEW_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  CHECK(text == text_of(path));
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++n;
  }
  return n;
}

}  // namespace lab::report::test
