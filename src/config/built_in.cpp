#include "config/config.hpp"

#include "embedded_files.hpp"

#include <algorithm>

namespace lab::config {

std::span<const EmbeddedFile> built_ins() { return embedded_files(); }

const EmbeddedFile* built_in(std::string_view name) {
  const auto files = built_ins();
  const auto at = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name; });
  return at == files.end() ? nullptr : &*at;
}

}  // namespace lab::config
