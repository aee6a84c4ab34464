#include "config/config.hpp"

#include "embedded_files.hpp"

namespace lab::config {

std::span<const EmbeddedFile> built_ins() { return embedded_files(); }

}  // namespace lab::config
