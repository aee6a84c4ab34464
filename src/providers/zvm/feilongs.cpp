#include "providers/zvm/feilongs.hpp"

namespace lab::providers::zvm {

Error no_feilong(const std::string& node) {
  return Error{"no Feilong is known that could create the guest", "node " + node,
               "write `feilong: {url: http://zvm.example:8080}` into the lab file, or set " + std::string(kUrlVariable)};
}

Result<Feilong*> Feilongs::at(const FeilongAccess& access) {
  const std::lock_guard guard(mutex_);
  auto& known = by_url_[access.url];
  if (known == nullptr) {
    auto opened = open_feilong(access, transport_, pause_);
    if (!opened) {
      return opened.error();
    }
    known = std::move(*opened);
  }
  return known.get();
}

}  // namespace lab::providers::zvm
