// What nodes are given to run: this program, and binaries of the same build for other architectures.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace lab::remote {

// The dynamically linked build is beside the static one: its name, with -dynamic after it.
std::filesystem::path dynamic_build_of(const std::filesystem::path& program);

class Binaries {
 public:
  using Given = std::map<std::string, std::filesystem::path>;  // architecture: file

  // `own` is this program's file; `given` is what the user names (--agent-binary) and goes before all others.
  explicit Binaries(std::filesystem::path own, Given given = {});

  // For a node whose `uname -m` says `architecture`: given, or this program, or `lab-ARCHITECTURE` beside it. Its ELF header is
  // looked at, so that what cannot run there is refused here.
  Result<std::filesystem::path> find(const std::string& architecture) const;

 private:
  Result<std::filesystem::path> choose(const std::string& architecture) const;

  std::filesystem::path own_;
  Given given_;
};

}  // namespace lab::remote
