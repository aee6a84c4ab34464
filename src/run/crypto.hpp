// The crypto switch: AES instructions off for one process, by what libcrypto reads from its environment when it starts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lab::run {

// "software": the variable that hides the CPU's AES instructions on that architecture ("x86_64", "s390x"); nothing where it is not known.
// Hardware is the variable's absence: an empty value is not the same.
std::optional<std::map<std::string, std::string>> software_environment(std::string_view architecture);

// Whether a process's OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS) says that libcrypto uses them; nothing where it can't be read from it.
std::optional<bool> uses_aes_instructions(std::string_view openssl_cpu);

}  // namespace lab::run
