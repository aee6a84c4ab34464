// Tells of every change in a folder: inotify(7).
#pragma once

#include "lab/units.hpp"
#include "remote/descriptor.hpp"

#include <filesystem>

namespace lab::providers::local {

class Watch {
 public:
  explicit Watch(const std::filesystem::path& folder);
  // False at the deadline.
  bool await_change(Deadline deadline);

 private:
  remote::Descriptor fd_;
};

}  // namespace lab::providers::local
