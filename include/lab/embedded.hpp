// Files that the binary carries; cmake/embed.cmake puts them there.
#pragma once

#include <string_view>

namespace lab {

struct EmbeddedFile {
  std::string_view name;  // "labs/local.yaml"
  std::string_view text;  // the bytes, in static memory
};

}  // namespace lab
