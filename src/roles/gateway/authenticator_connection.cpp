#include "roles/gateway/authenticator_connection.hpp"

#include <sys/epoll.h>
#include <array>
#include <cstring>
#include <limits>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{1024} * 1024;  // of an answer: entries are asked for a few attributes only
constexpr std::size_t kMaxEntries = 10'000;
constexpr std::int32_t kStartTlsId = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kRead = std::size_t{16} * 1024;

}  // namespace

DirectoryConnection::DirectoryConnection(net::Loop& loop, const DirectoryServer& server, Owner& owner, net::Stream stream)
    : loop_(loop), server_(server), owner_(owner), stream_(std::move(stream)), deadline_(loop, [this] { expired(); }) {
  loop_.watch(stream_.fd(), *this);
}

DirectoryConnection::~DirectoryConnection() {
  if (state_ != State::lost) {
    loop_.unwatch(stream_.fd(), *this);
  }
}

void DirectoryConnection::ask(DirectoryRequest request) {
  id_ = id_ == std::numeric_limits<std::int32_t>::max() ? 1 : id_ + 1;
  out_.clear();
  sent_ = 0;
  reply_ = {};
  ldap::encode(out_, {id_, request.operation, {}});
  deadline_.arm_at(request.deadline);
  current_ = std::move(request);
  if (state_ == State::ready) {
    send();  // if that fails the socket has an event, which will tell
  }
}

void DirectoryConnection::on_events(std::uint32_t events) {
  hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  readable_ = readable_ || hung_up_ || (events & EPOLLIN) != 0;
  if (state_ == State::connecting && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) == 0) {
    return;
  }
  if (!establish()) {
    return;
  }
  if (!send()) {
    return lose("writing to the directory: " + stream_.error());
  }
  receive();
}

bool DirectoryConnection::establish() {
  if (state_ == State::connecting) {
    if (const int error = net::pending_error(stream_.fd()); error != 0) {
      lose(std::string("connecting to the directory: ") + std::strerror(error));
      return false;
    }
    state_ = stream_.is_tls() ? State::handshake : State::ready;
    if (server_.start_tls) {
      ask_for_tls();
    }
  }
  if (state_ == State::asking_for_tls && !tls_granted()) {
    return false;
  }
  if (state_ == State::handshake) {
    const net::IoResult result = stream_.handshake();
    if (result.status == net::Io::again) {
      return false;
    }
    if (result.status != net::Io::ok) {
      lose("TLS with the directory: " + (stream_.error().empty() ? std::string("connection closed") : stream_.error()));
      return false;
    }
    state_ = State::ready;
    readable_ = true;
  }
  return state_ == State::ready;
}

// RFC 4511 section 4.14. The request that the connection was made for waits: nothing of it leaves in the clear.
void DirectoryConnection::ask_for_tls() {
  state_ = State::asking_for_tls;
  first_.swap(out_);
  ldap::encode(out_, {kStartTlsId, ldap::ExtendedRequest{std::string(ldap::kStartTls), {}}, {}});
}

bool DirectoryConnection::tls_granted() {
  if (!send()) {
    lose("writing to the directory: " + stream_.error());
    return false;
  }
  std::array<char, kRead> buffer;
  while (readable_) {
    const net::IoResult got = stream_.read(buffer);
    if (got.status == net::Io::again) {
      readable_ = false;
      break;
    }
    if (got.status != net::Io::ok) {
      lose("the directory closed the connection when asked for TLS");
      return false;
    }
    in_.append(buffer.data(), got.bytes);
    readable_ = hung_up_ || stream_.may_have_more();
  }
  const ldap::ber::Frame frame = ldap::frame(in_, kMaxMessage);
  if (frame.status == ldap::ber::Frame::Status::incomplete) {
    return false;
  }
  const auto message = ldap::decode(std::string_view(in_).substr(0, frame.size));
  const auto* response = message ? std::get_if<ldap::Response>(&message->operation) : nullptr;
  const bool granted = response != nullptr && message->id == kStartTlsId && response->outcome.code == ldap::ResultCode::success;
  if (!granted || frame.size != in_.size() || !stream_.start_tls_client(*server_.context, server_.host, true)) {
    lose("the directory refuses StartTLS" +
         (response == nullptr || response->outcome.diagnostic.empty() ? "" : ": " + response->outcome.diagnostic));
    return false;
  }
  in_.clear();
  out_.swap(first_);
  sent_ = 0;
  state_ = State::handshake;
  return true;
}

// False: broken. What the socket does not take now goes when it is writable again.
bool DirectoryConnection::send() {
  while (sent_ < out_.size() || !stream_.flushed()) {
    const net::IoResult result = sent_ < out_.size() ? stream_.write(std::string_view(out_).substr(sent_)) : stream_.flush();
    sent_ += result.bytes;
    if (result.status != net::Io::ok) {
      return result.status == net::Io::again;
    }
  }
  return true;
}

void DirectoryConnection::receive() {
  std::array<char, kRead> buffer;
  while (readable_) {
    const net::IoResult got = stream_.read(buffer);
    if (got.status == net::Io::again) {
      readable_ = false;
      return;
    }
    if (got.status != net::Io::ok) {
      return lose(got.status == net::Io::closed ? "the directory closed the connection" : "reading from the directory: " + stream_.error());
    }
    in_.append(buffer.data(), got.bytes);
    readable_ = hung_up_ || stream_.may_have_more();
    if (!take_messages()) {
      return;
    }
  }
}

bool DirectoryConnection::take_messages() {
  for (;;) {
    const ldap::ber::Frame frame = ldap::frame(in_, kMaxMessage);
    if (frame.status == ldap::ber::Frame::Status::incomplete) {
      return true;
    }
    const bool whole = frame.status == ldap::ber::Frame::Status::complete;
    auto message = whole ? ldap::decode(std::string_view(in_).substr(0, frame.size)) : ldap::Malformed{"a message above 1 MiB, or none"};
    if (!message) {
      lose("the directory answers what is not LDAP: " + message.error().what);
      return false;
    }
    in_.erase(0, frame.size);
    if (!take(std::move(*message))) {
      return false;
    }
  }
}

bool DirectoryConnection::take(ldap::Message message) {
  const auto* response = std::get_if<ldap::Response>(&message.operation);
  if (message.id == 0 && response != nullptr) {
    lose("the directory ends the connection: " + response->outcome.diagnostic);
    return false;
  }
  if (!current_ || message.id != id_) {
    lose("the directory answers what was not asked");
    return false;
  }
  if (response == nullptr) {
    if (auto* entry = std::get_if<ldap::SearchEntry>(&message.operation); entry != nullptr && reply_.entries.size() < kMaxEntries) {
      reply_.entries.push_back(std::move(*entry));
    }
    return true;
  }
  reply_.outcome = response->outcome;
  kept_ = true;
  deadline_.cancel();
  DirectoryRequest request = std::move(*current_);
  current_.reset();
  owner_.answered(*this, in_.empty() && !hung_up_, std::move(request), std::move(reply_));
  return false;
}

void DirectoryConnection::expired() {
  kept_ = false;  // silent, not stale: asking again would take as long
  lose("the directory does not answer in time");
}

void DirectoryConnection::drop() {
  state_ = State::lost;
  deadline_.cancel();
  loop_.unwatch(stream_.fd(), *this);
  stream_.shutdown();
  stream_.close();
}

void DirectoryConnection::lose(const std::string& what) {
  const bool stale = kept_ && reply_.entries.empty();
  std::optional<DirectoryRequest> request = std::move(current_);
  current_.reset();
  drop();
  owner_.lost(*this, std::move(request), stale, Error{what, server_.url, "see that the directory runs and can be reached"});
}

}  // namespace lab::gateway
