// Whole messages, compared with files: golden/NAME.yaml and golden/NAME.expected.
// LAB_RENEW_GOLDEN=1 writes the expected files anew; review them as a diff.
#include "config/config.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

std::string messages(const std::filesystem::path& file) {
  const auto text = lab::config::read_file(file);
  REQUIRE(text.has_value());
  const auto result = lab::config::parse_any(*text, file.filename().string());
  std::string all;
  for (const lab::Error& error : result.has_error() ? result.error() : lab::Errors()) {
    all += "error: " + to_string(error) + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("every error of a file, as it is printed") {
  const bool renew = std::getenv("LAB_RENEW_GOLDEN") != nullptr;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LAB_SOURCE_DIR "/tests/config/golden")) {
    if (entry.path().extension() != ".yaml") {
      continue;
    }
    ++files;
    const auto expected = std::filesystem::path(entry.path()).replace_extension(".expected");
    const std::string found = messages(entry.path());
    INFO(entry.path().filename().string());
    CHECK_FALSE(found.empty());
    if (renew) {
      std::ofstream(expected) << found;
      continue;
    }
    CHECK(found == lab::config::read_file(expected).value());
  }
  CHECK(files > 20);
}
