// A file that says of itself that it is a program for an architecture: its ELF header and nothing else (elf(5)).
#pragma once

#include <elf.h>
#include <array>
#include <filesystem>
#include <fstream>

inline std::filesystem::path elf_file(const std::filesystem::path& file, unsigned machine, unsigned char order) {
  std::array<char, sizeof(Elf64_Ehdr)> header{ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, static_cast<char>(order)};
  const std::size_t at = offsetof(Elf64_Ehdr, e_machine);
  header[at] = static_cast<char>(order == ELFDATA2MSB ? machine >> 8U : machine & 0xFFU);
  header[at + 1] = static_cast<char>(order == ELFDATA2MSB ? machine & 0xFFU : machine >> 8U);
  std::ofstream(file, std::ios::binary).write(header.data(), header.size());
  return file;
}

inline std::filesystem::path s390x_file(const std::filesystem::path& file) { return elf_file(file, EM_S390, ELFDATA2MSB); }
