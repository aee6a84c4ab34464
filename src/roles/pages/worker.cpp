#include "roles/pages/worker.hpp"

#include <sys/prctl.h>
#include <ctime>
#include <utility>

namespace lab::pages {

namespace {

constexpr std::size_t kScratch = std::size_t{64} * 1024;

}  // namespace

Worker::Worker(std::vector<roles::Listening> listening, std::shared_ptr<SSL_CTX> context, const std::optional<DatabaseClient>& database,
               net::Nanos delay)
    : context_(std::move(context)),
      delay_(delay),
      scratch_(kScratch),
      drain_limit_(loop_, [this] { loop_.stop(); }),
      database_(database ? std::make_unique<Database>(loop_, *database) : nullptr),
      acceptor_(loop_, std::move(listening), [this](net::Fd socket, const roles::Listening& from) { open(std::move(socket), from.tls); }) {}

Worker::~Worker() = default;

void Worker::run() {
  if (delay_ > 0) {
    prctl(PR_SET_TIMERSLACK, 1UL);  // ns: 50 µs more would be seen
  }
  loop_.run();
}

std::int64_t Worker::unix_seconds() const { return std::time(nullptr); }

void Worker::open(net::Fd socket, bool tls) {
  net::Stream stream(std::move(socket));
  if (tls && !stream.start_tls_server(*context_)) {
    return;
  }
  counters_.connections.add();
  auto connection = std::make_unique<Connection>(*this, std::move(stream));
  Connection* key = connection.get();
  connections_.emplace(key, std::move(connection));
}

void Worker::remove(Connection& connection) {
  loop_.defer([this, gone = &connection] {
    connections_.erase(gone);
    finish_when_empty();
  });
}

void Worker::use_context(std::shared_ptr<SSL_CTX> context) {
  loop_.call([this, &context] { context_ = std::move(context); });
}

void Worker::drain(net::Nanos limit) {
  loop_.post([this, limit] {
    draining_ = true;
    acceptor_.close();
    drain_limit_.arm(limit);
    for (const auto& [key, connection] : connections_) {
      connection->drain();
    }
    finish_when_empty();
  });
}

void Worker::finish_when_empty() {
  if (draining_ && connections_.empty()) {
    loop_.stop();
  }
}

}  // namespace lab::pages
