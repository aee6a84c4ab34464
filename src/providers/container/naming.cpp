#include "providers/container/naming.hpp"

#include "remote/sha256.hpp"

namespace lab::providers::container {

namespace {

constexpr std::size_t kDigits = 8;

}  // namespace

Naming::Naming(const std::string& lab, const std::filesystem::path& state) {
  remote::Sha256 digest;
  digest.add(state.string());
  prefix_ = "lab-" + lab + "-" + digest.hex().substr(0, kDigits);
}

}  // namespace lab::providers::container
