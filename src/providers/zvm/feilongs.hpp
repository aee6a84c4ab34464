// Clients of Feilong, one a server: its token serves all nodes of a command.
#pragma once

#include "providers/zvm/feilong.hpp"
#include "providers/zvm/place.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lab::providers::zvm {

// That no lab file, state folder or environment says where one is.
Error no_feilong(const std::string& node);

class Feilongs {
 public:
  Feilongs(MakeTransport transport, Pause pause) : transport_(std::move(transport)), pause_(std::move(pause)) {}
  // Safe from any thread; it lives as long as this.
  Result<Feilong*> at(const FeilongAccess& access);

 private:
  const MakeTransport transport_;
  const Pause pause_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Feilong>> by_url_;
};

}  // namespace lab::providers::zvm
