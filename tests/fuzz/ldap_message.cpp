// Bytes from a socket: framed, decoded, and what was understood written and read again to the same value.
#include "ldap/message.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lab::ldap;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (;;) {
    const ber::Frame one = frame(rest, 1U << 18);
    if (one.status != ber::Frame::Status::complete) {
      return 0;
    }
    if (const auto message = decode(rest.substr(0, one.size))) {
      std::string again;
      encode(again, *message);
      const auto read = decode(again);
      if (!read || !(*read == *message)) {
        std::abort();
      }
    }
    rest.remove_prefix(one.size);
  }
}
