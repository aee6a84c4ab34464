// Bytes from a socket: framed and decoded.
#include "ldap/message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lab::ldap;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (;;) {
    const ber::Frame one = frame(rest, 1U << 18);
    if (one.status != ber::Frame::Status::complete) {
      return 0;
    }
    static_cast<void>(decode(rest.substr(0, one.size)));
    rest.remove_prefix(one.size);
  }
}
