#include "remote/binaries.hpp"

#include <elf.h>
#include <sys/utsname.h>
#include <algorithm>
#include <array>
#include <fstream>

namespace lab::remote {

namespace {

namespace fs = std::filesystem;

// elf(5): what the header of a program for an architecture says.
struct Architecture {
  const char* name;  // as `uname -m` has it
  unsigned machine;
  unsigned char order;
};
constexpr std::array kArchitectures{
    Architecture{"x86_64", EM_X86_64, ELFDATA2LSB},   Architecture{"s390x", EM_S390, ELFDATA2MSB},
    Architecture{"aarch64", EM_AARCH64, ELFDATA2LSB}, Architecture{"ppc64le", EM_PPC64, ELFDATA2LSB},
    Architecture{"riscv64", EM_RISCV, ELFDATA2LSB},
};

std::string own_architecture() {
  utsname here{};
  uname(&here);
  return static_cast<const char*>(here.machine);
}

// Its name, "another architecture" where it has none here, nothing where the file is no 64-bit ELF.
std::string architecture_of(const fs::path& file) {
  std::array<char, sizeof(Elf64_Ehdr)> raw{};
  if (!std::ifstream(file, std::ios::binary).read(raw.data(), raw.size())) {
    return {};
  }
  std::array<unsigned char, sizeof(Elf64_Ehdr)> header{};
  std::copy(raw.begin(), raw.end(), header.begin());
  if (!std::equal(header.begin(), header.begin() + SELFMAG, ELFMAG) || header[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  const auto order = header[EI_DATA];
  const std::size_t at = offsetof(Elf64_Ehdr, e_machine);
  const unsigned first = header[at], second = header[at + 1];
  const unsigned machine = order == ELFDATA2MSB ? first << 8U | second : second << 8U | first;
  const auto* const known = std::find_if(kArchitectures.begin(), kArchitectures.end(),
                                         [&](const Architecture& one) { return one.machine == machine && one.order == order; });
  return known == kArchitectures.end() ? "another architecture" : known->name;
}

}  // namespace

fs::path dynamic_build_of(const fs::path& program) { return program.string() + "-dynamic"; }

Binaries::Binaries(fs::path own, Given given) : own_(std::move(own)), given_(std::move(given)) {}

Result<fs::path> Binaries::choose(const std::string& architecture) const {
  if (const auto given = given_.find(architecture); given != given_.end()) {
    return given->second;
  }
  if (architecture == own_architecture()) {
    return own_;
  }
  const fs::path beside = own_.parent_path() / ("lab-" + architecture);
  std::error_code ignored;
  if (!fs::exists(beside, ignored)) {
    return Error{"the node is " + architecture + ", and there is no binary of lab for it: " + beside.string() + " is missing", "",
                 "put one of the same build there, or name it: lab up --agent-binary " + architecture + "=PATH"};
  }
  return beside;
}

Result<fs::path> Binaries::find(const std::string& architecture) const {
  auto chosen = choose(architecture);
  if (!chosen) {
    return chosen;
  }
  const std::string made_for = architecture_of(*chosen);
  if (made_for != architecture) {
    return Error{"the node is " + architecture + ", and " + chosen->string() + " is " +
                     (made_for.empty() ? "no program" : "a program for " + made_for),
                 "", "name one of the same build: lab up --agent-binary " + architecture + "=PATH"};
  }
  return chosen;
}

}  // namespace lab::remote
