#include "roles/gateway/channel.hpp"

#include <sys/epoll.h>

namespace lab::gateway {

void Channel::note(std::uint32_t events) {
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    ended = true;
    broken = broken || (events & (EPOLLHUP | EPOLLERR)) != 0;
  }
  readable = readable || (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  if ((events & EPOLLOUT) != 0 && !writable) {
    const net::Io flushed = stream.flushed() ? net::Io::ok : stream.flush().status;
    writable = flushed == net::Io::ok;
    broken = broken || flushed == net::Io::error;
  }
}

net::Io Channel::fill() {
  if (!readable) {
    in.release_if_empty();
    return net::Io::again;
  }
  const std::span<char> room = in.room();
  const net::IoResult got = stream.read(room);
  if (got.status == net::Io::again) {
    readable = false;
    in.release_if_empty();
    return net::Io::again;
  }
  if (got.status == net::Io::ok) {
    in.filled(got.bytes);
    readable = ended || got.bytes == room.size() || stream.may_have_more();
  }
  return got.status;
}

net::Io Channel::send(std::span<const iovec> parts, std::size_t& taken) {
  taken = 0;
  std::size_t total = 0;
  for (const iovec& part : parts) {
    total += part.iov_len;
  }
  const net::IoResult sent = stream.write(parts);
  if (sent.status == net::Io::ok) {
    taken = sent.bytes;
  }
  const bool whole = taken == total || (stream.is_tls() && taken > 0);
  writable = sent.status == net::Io::ok && whole && stream.flushed();
  return sent.status;
}

}  // namespace lab::gateway
