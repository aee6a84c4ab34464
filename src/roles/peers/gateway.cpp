#include "roles/peers/gateway.hpp"

#include "lab/lab.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <cerrno>
#include <csignal>
#include <fstream>

namespace lab::peers {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto kAnswer = 2s, kFlush = 5s, kGrace = 1s, kProbe = 3s;
constexpr std::size_t kMostAnswer = std::size_t{1} << 20;
constexpr std::string_view kNull = "/dev/null";
constexpr int kPrivate = 0600;

int milliseconds_until(Deadline deadline) {
  return static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count()));
}

Result<void> write_private(const std::string& name, const std::string& text) {
  const net::Fd file(open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPrivate));
  if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("write " + name, errno, "is there space, and may the lab's user write there?");
  }
  return {};
}

// Tells of changes to a file or in a folder.
class Watch {
 public:
  Watch(const std::string& path, std::uint32_t events) : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    inotify_add_watch(fd_.get(), path.c_str(), events);
  }
  // Until a change, until `other` can be read, or the deadline.
  void wait(int other, Deadline deadline) {
    std::array<pollfd, 2> entries{{{fd_.get(), POLLIN, 0}, {other, POLLIN, 0}}};
    poll(entries.data(), entries.size(), milliseconds_until(deadline));
    std::array<char, 4096> events;
    while (read(fd_.get(), events.data(), events.size()) > 0) {
    }
  }

 private:
  net::Fd fd_;
};

// One question and all of its answer, until the other side closes.
Result<std::string> ask(const std::string& question, Deadline deadline) {
  auto socket = net::connect_unix(kStatusSocket);
  if (!socket) {
    return socket.error();
  }
  std::string answer;
  std::size_t sent = 0;
  std::array<char, 16384> piece;
  while (answer.size() < kMostAnswer) {
    pollfd entry{socket->get(), static_cast<short>(sent < question.size() ? POLLIN | POLLOUT : POLLIN), 0};
    if (poll(&entry, 1, milliseconds_until(deadline)) <= 0) {
      return Error{"it does not answer in time", kStatusSocket, {}, {}};
    }
    if (sent < question.size()) {
      const ssize_t wrote = send(socket->get(), question.data() + sent, question.size() - sent, MSG_NOSIGNAL);
      sent += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    const ssize_t got = read(socket->get(), piece.data(), piece.size());
    if (got == 0) {
      return answer;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR) {
      return system_error("read " + std::string(kStatusSocket), errno);
    }
    answer.append(piece.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  return answer;
}

// Lines of a file that grows; each byte is read once.
class LineCount {
 public:
  explicit LineCount(const std::string& file) : stream_(file, std::ios::binary) {}
  std::uint64_t now() {
    std::array<char, 65536> piece;
    stream_.clear();
    while (stream_.read(piece.data(), piece.size()), stream_.gcount() > 0) {
      lines_ += static_cast<std::uint64_t>(std::count(piece.data(), piece.data() + stream_.gcount(), '\n'));
      stream_.clear(stream_.rdstate() & ~std::ios::failbit);
    }
    return lines_;
  }

 private:
  std::ifstream stream_;
  std::uint64_t lines_ = 0;
};

// Its program with the log that it writes to standard output, if it does so.
Result<Child> launch(const Peer& peer, const GatewayConfig& config) {
  const std::string log = peer.output(config);
  const net::Fd out(log.empty() ? -1 : open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kPrivate));
  if (!log.empty() && !out) {
    return system_error("open " + log, errno, "is its folder there, and may the lab's user write in it?");
  }
  const auto command = peer.command();
  if (!find_program(command.front())) {
    return Error{command.front() + " is not installed here", {}, "apt-get install " + command.front(), {}};
  }
  return Child::start(dying_with_us("TERM", command), out ? out.get() : STDERR_FILENO);
}

std::string url(const char* scheme, const Endpoint& endpoint) {
  return std::string(scheme) + "://" + endpoint.host + ":" + std::to_string(endpoint.port);
}

}  // namespace

std::unique_ptr<Peer> make_peer(Software software) {
  switch (software) {
    case Software::nginx: return make_nginx();
    case Software::haproxy: return make_haproxy();
    default: return nullptr;
  }
}

Result<void> check_peer(const GatewayConfig& config) {
  const auto refuse = [&](const std::string& what) -> Result<void> {
    return Error{"kind " + to_string(config.software) + " " + what, {}, "use kind lab for that, or take it out", {}};
  };
  for (const Junction& junction : config.junctions) {
    if (junction.type == JunctionType::local) {
      return refuse("has no local junction (" + junction.point + ")");
    }
    if (junction.identity != Identity{}) {
      return refuse("sends no identity headers (junction " + junction.point + ")");
    }
    if (junction.basic == BasicHeader::supply) {
      return refuse("supplies no logins to back ends (junction " + junction.point + ")");
    }
  }
  const bool guarded = std::any_of(config.access.begin(), config.access.end(),
                                   [](const AccessRule& rule) { return rule.allow != AccessRule::Who::everybody; });
  if (guarded || (!config.directory.url.empty() && config.access.empty())) {
    return refuse("asks no directory who a user is, so that everybody is let in");
  }
  return {};
}

Result<std::unique_ptr<PeerGateway>> PeerGateway::start(const GatewayConfig& config, Deadline deadline) {
  auto peer = make_peer(config.software);
  if (peer == nullptr) {
    return Error{"there is no program for kind " + to_string(config.software), {}, "use kind lab, nginx or haproxy", {}};
  }
  if (auto good = check_peer(config); !good) {
    return good.error();
  }
  const auto files = peer->files(config);
  if (!files) {
    return files.error();
  }
  for (const auto& [name, text] : *files) {
    if (auto written = write_private(name, text); !written) {
      return written.error();
    }
  }
  unlink(kStatusSocket);
  auto child = launch(*peer, config);
  if (!child) {
    return child.error();
  }
  std::unique_ptr<PeerGateway> gateway(new PeerGateway(config, std::move(peer), std::move(*child)));
  if (auto ready = gateway->await_ready(deadline); !ready) {
    return ready.error();
  }
  if (!config.service.control.empty()) {
    auto control = roles::ControlServer::start(
        config.service.control, [&gateway = *gateway](std::string_view method, const json::object&) { return gateway.control(method); });
    if (!control) {
      return control.error();
    }
    gateway->control_ = std::move(*control);
  }
  return gateway;
}

PeerGateway::PeerGateway(const GatewayConfig& config, std::unique_ptr<Peer> peer, Child child)
    : config_(config), peer_(std::move(peer)), child_(std::move(child)) {}

PeerGateway::~PeerGateway() {
  control_.reset();
  child_.stop(SIGTERM, Clock::now() + kGrace);
}

// It listens everywhere once it answers on its socket.
Result<void> PeerGateway::await_ready(Deadline deadline) {
  Watch watch(".", IN_CREATE | IN_MOVED_TO);
  while (!counters(std::min(deadline, Clock::now() + kAnswer))) {
    if (auto running = check_running(); !running) {
      return running;
    }
    if (Clock::now() >= deadline) {
      return Error{to_string(config_.software) + " does not serve in time", {}, "its messages say why", {}};
    }
    watch.wait(child_.ended(), std::min(deadline, Clock::now() + 50ms));  // between bind and listen nothing tells
  }
  return {};
}

Result<void> PeerGateway::check_running() {
  const auto code = child_.reap();
  return code ? Error{to_string(config_.software) + " ended with exit code " + std::to_string(*code), {}, "its messages say why", {}}
              : Result<void>();
}

std::vector<std::string> PeerGateway::listening() const {
  std::vector<std::string> urls;
  for (const Endpoint& endpoint : config_.service.plain) {
    urls.push_back(url("http", endpoint));
  }
  for (const Endpoint& endpoint : config_.service.tls) {
    urls.push_back(url("https", endpoint));
  }
  return urls;
}

std::string PeerGateway::openssl_cpu() const {
  const std::string text = output_of({"openssl", "info", "-cpusettings"}, Clock::now() + kProbe);
  return text.substr(0, text.find('\n'));
}

Result<PeerCounters> PeerGateway::counters(Deadline deadline) {
  const std::lock_guard guard(asking_);
  const auto answer = ask(peer_->status_request(), deadline);
  if (!answer) {
    return answer.error();
  }
  return peer_->counters(*answer, ++asked_);
}

Result<json::value> PeerGateway::flush_logs() {
  const std::string& file = config_.logs.request;
  const Deadline deadline = Clock::now() + kFlush;
  const auto counted = counters(deadline);
  if (!counted) {
    return counted.error();
  }
  if (file.empty() || file == kNull) {
    return json::object{{"lines", counted->requests}};
  }
  Watch watch(file, IN_MODIFY);
  LineCount lines(file);
  if (peer_->flush_signal() != 0) {
    child_.signal(peer_->flush_signal());
  }
  std::uint64_t written = lines.now();
  while (written < counted->requests && Clock::now() < deadline) {
    watch.wait(child_.ended(), deadline);
    written = lines.now();
  }
  return json::object{{"lines", written}};
}

Result<json::value> PeerGateway::control(std::string_view method) {
  if (method == "ping") {
    return json::object{};
  }
  if (method == "logs.flush") {
    return flush_logs();
  }
  if (method != "stats") {
    return Error{"no such method", {}, {}, {}};
  }
  const auto counted = counters(Clock::now() + kAnswer);
  if (!counted) {
    return counted.error();
  }
  return json::object{
      {"requests", counted->requests}, {"responses", {{"any", counted->requests}}}, {"retries", counted->retries}, {"log_errors", 0}};
}

}  // namespace lab::peers
