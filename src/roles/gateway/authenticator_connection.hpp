// One LDAP connection of the gateway: connects, asks one thing at a time, is told apart when it turns out stale.
#pragma once

#include "lab/error.hpp"
#include "ldap/message.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab::gateway {

struct DirectoryServer {
  std::string url;  // for messages
  std::string host;
  net::Address address;
  net::TlsContext context;  // null: plain LDAP
  bool start_tls = false;   // the connection begins in the clear and asks for TLS
};

struct DirectoryReply {
  ldap::Outcome outcome;
  std::vector<ldap::SearchEntry> entries;
};

struct DirectoryRequest {
  ldap::Operation operation;  // bind or search
  net::Nanos deadline = 0;
  std::function<void(Result<DirectoryReply>)> answer;
  bool repeated = false;  // asked once already, on a connection that had gone stale
};

class DirectoryConnection final : public net::Watcher {
 public:
  // Its pool. Both calls come last in what the connection does: it may be destroyed by them only through Loop::defer.
  class Owner {
   public:
    virtual ~Owner() = default;
    // `keep`: it can be asked again.
    virtual void answered(DirectoryConnection& connection, bool keep, DirectoryRequest request, DirectoryReply reply) = 0;
    // `stale`: a kept connection that ended before any of the answer came.
    virtual void lost(DirectoryConnection& connection, std::optional<DirectoryRequest> request, bool stale, Error error) = 0;
  };

  // `stream` is being connected; with TLS started when the server has a context, unless it is to be asked for it.
  DirectoryConnection(net::Loop& loop, const DirectoryServer& server, Owner& owner, net::Stream stream);
  ~DirectoryConnection() override;
  DirectoryConnection(const DirectoryConnection&) = delete;
  DirectoryConnection& operator=(const DirectoryConnection&) = delete;

  // When it is idle, or not connected yet. Answers from the loop, never before returning.
  void ask(DirectoryRequest request);
  bool idle() const { return !current_ && state_ != State::lost; }
  void drop();  // silently; it is not asked again

  void on_events(std::uint32_t events) override;

 private:
  enum class State : std::uint8_t { connecting, asking_for_tls, handshake, ready, lost };

  bool establish();
  void ask_for_tls();
  bool tls_granted();  // reads the answer; false: not yet, or lost
  bool send();
  void receive();
  bool take_messages();  // false: answered or lost, nothing more may be touched
  bool take(ldap::Message message);
  void expired();
  void lose(const std::string& what);

  net::Loop& loop_;
  const DirectoryServer& server_;
  Owner& owner_;
  net::Stream stream_;
  net::Timer deadline_;
  State state_ = State::connecting;
  bool readable_ = false, hung_up_ = false;
  bool kept_ = false;  // it has answered before
  std::optional<DirectoryRequest> current_;
  DirectoryReply reply_;
  std::int32_t id_ = 0;
  std::string out_, in_;
  std::string first_;  // waits while TLS is asked for
  std::size_t sent_ = 0;
};

}  // namespace lab::gateway
