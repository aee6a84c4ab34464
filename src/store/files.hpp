// The few file operations whose order matters when power, disk space or patience runs out.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <string_view>

namespace lab::store {

// Temporary file, fsync, rename: readers see the old text or the new one. Errors name the file and, on a full disk, the remedy.
Result<void> write_atomically(const std::filesystem::path& file, std::string_view text);

// A symbolic link that is replaced in one step.
Result<void> link_atomically(const std::filesystem::path& target, const std::filesystem::path& link);

// Writes all of it, or says why not (EINTR and short writes are handled).
Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& file);

// "write FILE: No space left on device", with the remedy that fits the error number.
Error file_error(const char* action, const std::filesystem::path& file, int error_number);

}  // namespace lab::store
