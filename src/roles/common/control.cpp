// JSON-RPC 2.0 lines on a Unix socket: one thread, bounded lines, bounded connections.
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "roles/common/role.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <thread>
#include <unordered_map>

namespace lab::roles {

namespace {

namespace json = boost::json;

constexpr std::size_t kLine = 1024 * 1024;
constexpr std::size_t kConnections = 64;

// Codes of the JSON-RPC 2.0 specification, section 5.1.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kFailed = -32000;

json::object failure(const json::value& id, int code, const Error& error) {
  json::object told{{"code", code}, {"message", error.what}};
  if (!error.remedy.empty() || !error.where.empty()) {
    told["data"] = json::object{{"where", error.where}, {"remedy", error.remedy}};
  }
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(told)}};
}

std::string answer(const std::string& line, const ControlHandler& handler) {
  boost::system::error_code bad;
  const json::value request = json::parse(line, bad);
  if (bad) {
    return json::serialize(failure(nullptr, kParseError, Error("not JSON: " + bad.message(), {})));
  }
  const json::object* call = request.if_object();
  const json::value* id = call == nullptr ? nullptr : call->if_contains("id");
  const json::value* method = call == nullptr ? nullptr : call->if_contains("method");
  if (id == nullptr || method == nullptr || !method->is_string()) {
    return json::serialize(failure(nullptr, kInvalidRequest, Error("a call has an id and a method")));
  }
  const json::value* params = call->if_contains("params");
  const json::object none;
  Result<json::value> result = handler(method->get_string(), params != nullptr && params->is_object() ? params->get_object() : none);
  if (!result) {
    return json::serialize(failure(*id, kFailed, result.error()));
  }
  return json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(*result)}});
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
}

Error told_error(const json::object& error, std::string_view method) {
  const json::value* data = error.if_contains("data");
  const json::object none;
  const json::object& more = data != nullptr && data->is_object() ? data->get_object() : none;
  const std::string message = text_of(error, "message"), where = text_of(more, "where");
  return Error{message.empty() ? "it failed" : message, where.empty() ? std::string(method) : where, text_of(more, "remedy"), {}};
}

}  // namespace

struct ControlServer::Impl final : net::Watcher {
  struct Client final : net::Watcher {
    Impl* owner = nullptr;
    net::Fd fd;
    std::string in, out;
    void on_events(std::uint32_t) override { owner->serve(*this); }
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
      auto client = std::make_unique<Client>();
      client->owner = this;
      client->fd = std::move(fd);
      Client& added = *client;
      clients.emplace(&added, std::move(client));
      loop.watch(added.fd.get(), added);
    }
  }

  void serve(Client& client) {
    std::array<char, 16384> buffer;
    for (;;) {
      const ssize_t got = read(client.fd.get(), buffer.data(), buffer.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        break;
      }
      if (got <= 0 || client.in.size() > kLine) {
        return drop(client);
      }
      client.in.append(buffer.data(), static_cast<std::size_t>(got));
      for (std::size_t end = client.in.find('\n'); end != std::string::npos; end = client.in.find('\n')) {
        client.out += answer(client.in.substr(0, end), handler) + "\n";
        client.in.erase(0, end + 1);
      }
    }
    while (!client.out.empty()) {
      const ssize_t sent = send(client.fd.get(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
        break;
      }
      if (sent <= 0) {
        return drop(client);
      }
      client.out.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void drop(Client& client) {
    loop.unwatch(client.fd.get(), client);
    client.fd.reset();
    loop.defer([this, gone = &client] { clients.erase(gone); });
  }

  std::string path;
  ControlHandler handler;
  net::Loop loop;
  net::Fd listener;
  std::unordered_map<Client*, std::unique_ptr<Client>> clients;
  std::thread thread;
};

ControlServer::ControlServer() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<ControlServer>> ControlServer::start(const std::string& path, ControlHandler handler) {
  Result<net::Fd> listener = net::listen_unix(path);
  if (!listener) {
    return listener.error();
  }
  std::unique_ptr<ControlServer> server(new ControlServer);
  Impl& impl = *server->impl_;
  impl.path = path;
  impl.handler = std::move(handler);
  impl.listener = std::move(*listener);
  impl.loop.watch_level(impl.listener.get(), impl);
  impl.thread = std::thread([&impl] { impl.loop.run(); });
  return server;
}

ControlServer::~ControlServer() {
  if (impl_->thread.joinable()) {
    impl_->loop.stop();
    impl_->thread.join();
    unlink(impl_->path.c_str());
  }
}

Result<json::value> control_call(const std::string& path, std::string_view method, const json::object& params, int timeout_ms) {
  Result<net::Fd> fd = net::connect_unix(path);
  if (!fd) {
    return fd.error();
  }
  const std::string line = json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}) + "\n";
  const net::Nanos deadline = net::monotonic_now() + net::Nanos{timeout_ms} * 1'000'000;
  std::size_t sent = 0;
  std::string in;
  std::array<char, 16384> buffer;
  while (in.find('\n') == std::string::npos) {
    const auto left = static_cast<int>((deadline - net::monotonic_now()) / 1'000'000);
    pollfd ready{fd->get(), static_cast<short>(sent < line.size() ? POLLIN | POLLOUT : POLLIN), 0};
    if (left <= 0 || (poll(&ready, 1, left) < 0 && errno != EINTR)) {
      return Error{"no answer from " + path + " in time", std::string(method), "see whether the process still runs", {}};
    }
    if ((ready.revents & POLLOUT) != 0 && sent < line.size()) {
      const ssize_t wrote = send(fd->get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
      sent += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const ssize_t got = read(fd->get(), buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) || in.size() > kLine) {
        return Error{path + " hung up", std::string(method), "see whether the process still runs", {}};
      }
      in.append(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
  }
  boost::system::error_code bad;
  json::value answered = json::parse(in.substr(0, in.find('\n')), bad);
  const json::object* object = bad ? nullptr : answered.if_object();
  if (object == nullptr) {
    return Error{"not JSON-RPC on " + path, std::string(method), {}, in.substr(0, 200)};
  }
  if (const json::value* error = object->if_contains("error"); error != nullptr && error->is_object()) {
    return told_error(error->get_object(), method);
  }
  const json::value* result = object->if_contains("result");
  return result == nullptr ? json::value{} : *result;
}

}  // namespace lab::roles
