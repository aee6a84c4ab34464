// The files of a local junction's directory.
#pragma once

#include "net/socket.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::gateway {

struct LocalFile {
  net::Fd fd;
  std::uint64_t size = 0;
  std::string_view type;  // Content-Type, by the name's ending
};

// `path` in its normal form, below the mount point; a folder stands for its index.html. Nothing: there is no such regular file, it
// cannot be read, or it is not below `root`, wherever links lead.
std::optional<LocalFile> open_local_file(const std::string& root, std::string_view path);

}  // namespace lab::gateway
