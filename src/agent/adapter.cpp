#include "agent/adapter.hpp"

#include "remote/binaries.hpp"

#include <fstream>

namespace lab::agent {

namespace {

namespace fs = std::filesystem;

// Where distributions have OpenSSL's modules.
constexpr const char* kModules[] = {"usr/lib64/ossl-modules", "usr/lib/s390x-linux-gnu/ossl-modules", "usr/lib/ossl-modules"};
constexpr const char* kProvider = "ibmca-provider.so";

// What lszcrypt lists as online: /sys/devices/ap/cardNN/online.
bool has_card(const fs::path& system) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(system / "sys/devices/ap", none)) {
    int online = 0;
    if (entry.path().filename().string().starts_with("card") && std::ifstream(entry.path() / "online") >> online && online == 1) {
      return true;
    }
  }
  return false;
}

}  // namespace

Adapter::Adapter(const fs::path& program, fs::path system) : program_(remote::dynamic_build_of(program)), system_(std::move(system)) {}

fs::path Adapter::module() const {
  std::error_code ignored;
  for (const char* const folder : kModules) {
    if (fs::path file = system_ / folder / kProvider; fs::exists(file, ignored)) {
      return file;
    }
  }
  return {};
}

std::string Adapter::why_not() const {
  std::error_code ignored;
  if (!has_card(system_)) {
    return "the node has no crypto adapter that is online: lszcrypt shows none";
  }
  if (module().empty()) {
    return "the node's OpenSSL has no provider ibmca: install openssl-ibmca there";
  }
  return fs::exists(program_, ignored)
             ? std::string()
             : "the node has no dynamically linked build of lab: put it beside the other, with -dynamic after its "
               "name, and run `lab up` again";
}

// config(5), and the manual of openssl-ibmca: what the provider does not do, the default one does. A value that is a section's name, too,
// would be taken for that section.
Result<void> Adapter::configure(const fs::path& file) const {
  std::ofstream out(file);
  out << "openssl_conf = openssl_init\n\n[openssl_init]\nproviders = providers\nalg_section = algorithms\n\n"
      << "[algorithms]\ndefault_properties = ?provider=ibmca\n\n[providers]\ndefault = default_provider\nibmca = ibmca_provider\n\n"
      << "[default_provider]\nactivate = 1\n\n[ibmca_provider]\nidentity = ibmca\nmodule = " << module().string()
      << "\nactivate = 1\nalgorithms = ALL\nfallback-properties = provider=default\n";
  return out.flush() ? Result<void>() : Error{"cannot write " + file.string(), ""};
}

}  // namespace lab::agent
