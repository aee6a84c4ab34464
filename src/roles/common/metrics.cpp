#include "roles/common/metrics.hpp"

#include "http/message.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"

#include <sys/epoll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <unordered_map>

namespace lab::roles {

namespace {

constexpr std::size_t kConnections = 16;
constexpr net::Nanos kPatience = 10'000'000'000;  // of one scrape, from its connection on
constexpr const char* kType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

std::string answer(int status, std::string_view type, const std::string& body, bool head_only) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(http::reason_phrase(status)) + "\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + (head_only ? "" : body);
}

std::string answer_to(const http::Request& request, const std::function<Result<std::string>()>& text) {
  const bool head = request.method == "HEAD";
  if (request.method != "GET" && !head) {
    return answer(405, "text/plain", "only GET is answered here\n", false);
  }
  if (request.target.substr(0, request.target.find('?')) != "/metrics") {
    return answer(404, "text/plain", "metrics are at /metrics\n", head);
  }
  const Result<std::string> metrics = text();
  return metrics ? answer(200, kType, *metrics, head) : answer(503, "text/plain", metrics.error().what + "\n", head);
}

}  // namespace

MetricsText& MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = "lab_" + std::string(name);
  text_ += "# TYPE " + name_ + " " + std::string(type) + "\n# HELP " + name_ + " " + std::string(help) + "\n";
  return *this;
}

MetricsText& MetricsText::counter(std::string_view name, std::string_view help) {
  counts_ = true;
  return family(name, "counter", help);
}

MetricsText& MetricsText::gauge(std::string_view name, std::string_view help) {
  counts_ = false;
  return family(name, "gauge", help);
}

MetricsText& MetricsText::sample(std::uint64_t value, std::string_view labels) {
  text_ += name_ + (counts_ ? "_total" : "");
  if (!labels.empty()) {
    text_ += "{" + std::string(labels) + "}";
  }
  text_ += " " + std::to_string(value) + "\n";
  return *this;
}

std::string MetricsText::finish() { return std::move(text_) + "# EOF\n"; }

std::string MetricsText::label(std::string_view name, std::string_view value) {
  std::string out(name);
  out += "=\"";
  for (const char c : value) {
    out += c == '\n' ? "\\n" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  }
  return out + "\"";
}

struct MetricsServer::Impl final : net::Watcher {
  struct Client final : net::Watcher {
    Client(Impl& server, net::Fd socket) : owner(server), fd(std::move(socket)), deadline(server.loop, [this] { owner.drop(*this); }) {}
    void on_events(std::uint32_t) override { owner.serve(*this); }

    Impl& owner;
    net::Fd fd;
    std::string in, out;
    net::Timer deadline;
  };

  void on_events(std::uint32_t) override {
    for (;;) {
      net::Fd fd(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd) {
        return;
      }
      if (clients.size() >= kConnections) {
        continue;  // closed at once
      }
      auto client = std::make_unique<Client>(*this, std::move(fd));
      Client& added = *client;
      clients.emplace(&added, std::move(client));
      loop.watch(added.fd.get(), added);
      added.deadline.arm(kPatience);
    }
  }

  void serve(Client& client) {
    if (!client.fd || (client.out.empty() && !read(client))) {
      return;
    }
    while (!client.out.empty()) {
      const ssize_t sent = send(client.fd.get(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
      }
      if (sent <= 0) {
        return drop(client);
      }
      client.out.erase(0, static_cast<std::size_t>(sent));
    }
    drop(client);
  }

  // Until there is an answer to send; false: wait, or it is gone.
  bool read(Client& client) {
    std::array<char, 4096> buffer;
    for (;;) {
      const ssize_t got = ::read(client.fd.get(), buffer.data(), buffer.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
      }
      if (got <= 0) {
        drop(client);
        return false;
      }
      client.in.append(buffer.data(), static_cast<std::size_t>(got));
      http::Request request;
      const http::ParseResult head = http::parse_request(client.in, request);
      if (head.status == http::Parse::more) {
        continue;
      }
      client.out = head.status == http::Parse::done ? answer_to(request, text) : answer(head.code, "text/plain", head.why, false);
      return true;
    }
  }

  void drop(Client& client) {
    client.deadline.cancel();
    loop.unwatch(client.fd.get(), client);
    client.fd.reset();
    loop.defer([this, gone = &client] { clients.erase(gone); });
  }

  net::Loop loop;
  std::function<Result<std::string>()> text;
  net::Fd listener;
  std::string url;
  std::unordered_map<Client*, std::unique_ptr<Client>> clients;
  std::thread thread;
};

MetricsServer::MetricsServer() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const Endpoint& address, std::function<Result<std::string>()> text) {
  const Result<net::Address> resolved = net::Address::resolve(address.host, address.port);
  if (!resolved) {
    return resolved.error();
  }
  Result<net::Fd> listener = net::listen_tcp(*resolved, false);
  if (!listener) {
    return listener.error();
  }
  std::unique_ptr<MetricsServer> server(new MetricsServer);
  Impl& impl = *server->impl_;
  impl.text = std::move(text);
  impl.listener = std::move(*listener);
  impl.url = "http://" + net::Address::local_of(impl.listener.get()).text() + "/metrics";
  impl.loop.watch_level(impl.listener.get(), impl);
  impl.thread = std::thread([&impl] { impl.loop.run(); });
  return server;
}

MetricsServer::~MetricsServer() {
  if (impl_->thread.joinable()) {
    impl_->loop.stop();
    impl_->thread.join();
  }
}

const std::string& MetricsServer::url() const { return impl_->url; }

}  // namespace lab::roles
