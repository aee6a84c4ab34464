// Who works on a lab: flock(2) on its state folder, so that the kernel releases it with its holder.
#pragma once

#include "lab/error.hpp"
#include "lab/interrupt.hpp"
#include "lab/units.hpp"
#include "remote/descriptor.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace lab::orchestrator {

inline constexpr const char* kHolderFile = "holder";  // in the folder: "<pid> <command>", for messages

// Told once, before waiting: "`lab up` (process 4711)".
using Waiting = std::function<void(const std::string& holder)>;

class Lock {
 public:
  // Makes the folder when it is not there. Waits for another holder until the deadline, but not for a `lab run`: that is an error at once.
  // An interrupt ends the waiting, as an error with Failure::interrupted.
  static Result<std::unique_ptr<Lock>> take(const std::filesystem::path& folder, const std::string& command, const Waiting& waiting,
                                            const Interrupt& interrupt, Deadline deadline);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Lock(remote::Descriptor fd, std::filesystem::path folder) : fd_(std::move(fd)), folder_(std::move(folder)) {}

  const remote::Descriptor fd_;
  const std::filesystem::path folder_;
};

}  // namespace lab::orchestrator
