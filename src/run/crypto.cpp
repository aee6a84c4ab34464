#include "crypto.hpp"

#include <charconv>
#include <cstdint>

namespace lab::run {

namespace {

constexpr std::string_view kX86 = "OPENSSL_ia32cap=";
constexpr std::string_view kS390x = "OPENSSL_s390xcap=";
constexpr std::uint64_t kAesNi = std::uint64_t{1} << 57U;  // CPUID leaf 1, ECX bit 25, in the upper half of the first word
constexpr std::uint64_t kPclmul = std::uint64_t{1} << 33U;

// "0x200000000:…" → the number
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.substr(0, 2) == "0x") {
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

// What libcrypto settled on, without the echo of the variable (" env:…").
std::string_view settled(std::string_view text) { return text.substr(0, text.find("env:")); }

std::optional<bool> uses_cpacf(std::string_view text) {  // "…:km:0x…:0x…:…": the functions of KM, two words
  const auto at = text.find(":km:");
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view words = text.substr(at + 4);
  const auto first = hexadecimal(words);
  const auto colon = words.find(':');
  const auto second = colon == std::string_view::npos ? std::nullopt : hexadecimal(words.substr(colon + 1));
  return first && second ? std::optional(*first != 0 || *second != 0) : std::nullopt;
}

}  // namespace

std::optional<std::map<std::string, std::string>> software_environment(std::string_view architecture) {
  using Environment = std::map<std::string, std::string>;
  if (architecture == "x86_64") {  // AES-NI and PCLMUL; VAES and VPCLMUL; the rest stays
    return Environment{{"OPENSSL_ia32cap", "~0x200000200000000:~0x60000000000"}};
  }
  if (architecture == "s390x") {
    return Environment{
        {"OPENSSL_s390xcap", "kimd:0:0;klmd:0:0;km:0:0;kmc:0:0;kmac:0:0;kmctr:0:0;kmo:0:0;kmf:0:0;prno:0:0;kma:0:0;pcc:0:0;kdsa:0:0"}};
  }
  return std::nullopt;
}

std::optional<bool> uses_aes_instructions(std::string_view openssl_cpu) {
  const std::string_view text = settled(openssl_cpu);
  if (const auto at = text.find(kX86); at != std::string_view::npos) {
    const auto word = hexadecimal(text.substr(at + kX86.size()));
    return word ? std::optional((*word & (kAesNi | kPclmul)) != 0) : std::nullopt;
  }
  return text.find(kS390x) == std::string_view::npos ? std::nullopt : uses_cpacf(text);
}

}  // namespace lab::run
