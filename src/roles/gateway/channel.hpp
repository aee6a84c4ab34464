// A stream with what edge-triggered epoll has told of it, and the bytes read from it.
#pragma once

#include "net/stream.hpp"
#include "roles/gateway/buffer.hpp"

#include <sys/uio.h>
#include <cstdint>
#include <span>

namespace lab::gateway {

struct Channel {
  explicit Channel(BlockPool& pool) : in(pool) {}

  net::Stream stream;
  Buffer in;
  bool readable = false;  // a read may give bytes; false only after the socket was found empty
  bool writable = true;   // a write may take bytes; false only after the socket was found full
  bool ended = false;     // the peer sends no more, or the connection is broken
  bool broken = false;    // both ways

  void note(std::uint32_t events);  // of epoll
  // Reads once into `in`. again: nothing there, an event will tell.
  net::Io fill();
  // ok: `taken` bytes are on their way; fewer than given: wait until writable.
  net::Io send(std::span<const iovec> parts, std::size_t& taken);
};

}  // namespace lab::gateway
