#include "server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <list>
#include <set>
#include <thread>

namespace standin {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

constexpr int kMostDeploying = 20;

std::string line_of(const Message& message) {
  std::string line = message.method + " " + message.path + (message.query.empty() ? "" : "?" + message.query);
  if (message.octets) {
    return line + " (the config drive)";
  }
  return line + (message.body.empty() ? "" : " " + message.body);
}

bool is_deployment(const Message& message) {
  return message.path.ends_with("/action") && message.body.find("\"action\":\"deploy\"") != std::string::npos;
}

}  // namespace

// A thread a connection; each serves one exchange.
class Server::Network {
 public:
  Network(Server& server, std::uint16_t port) : server_(server), acceptor_(loop_, {asio::ip::address_v4::loopback(), port}) {
    accepting_ = std::thread([this] { accept(); });
  }

  ~Network() {
    ending_ = true;
    error_code ignored;
    tcp::socket waker(loop_);
    waker.connect({asio::ip::address_v4::loopback(), port()}, ignored);
    accepting_.join();
    {
      const std::lock_guard guard(mutex_);
      for (tcp::socket* socket : open_) {
        socket->shutdown(tcp::socket::shutdown_both, ignored);
      }
    }
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept() {
    while (true) {
      error_code failed;
      tcp::socket socket(loop_);
      acceptor_.accept(socket, failed);
      if (ending_ || failed) {
        return;
      }
      threads_.emplace_back([this, taken = std::move(socket)]() mutable { serve(taken); });
    }
  }

  void serve(tcp::socket& socket) {
    {
      const std::lock_guard guard(mutex_);
      open_.insert(&socket);
    }
    talk(socket);
    const std::lock_guard guard(mutex_);
    open_.erase(&socket);
    error_code ignored;
    socket.close(ignored);
  }

  void talk(tcp::socket& socket) {
    error_code failed;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::read(socket, buffer, request, failed);
    if (failed) {
      return;
    }
    const Answer answer = server_.answer(asked(request));
    if (answer.fault == Fault::cut_first || answer.fault == Fault::cut_after) {
      return;
    }
    if (answer.fault == Fault::stall) {
      std::array<char, 16> byte{};
      socket.read_some(asio::buffer(byte), failed);  // until the other end closes
      return;
    }
    http::response<http::string_body> response(static_cast<http::status>(answer.reply.status), 11);
    response.set(http::field::content_type, answer.reply.type);
    response.set(http::field::connection, "close");
    if (!answer.token.empty()) {
      response.set("X-Auth-Token", answer.token);
    }
    response.body() = answer.reply.body;
    response.prepare_payload();
    http::write(socket, response, failed);
  }

  static Asked asked(const http::request<http::string_body>& request) {
    const std::string target(request.target());
    const std::size_t question = std::min(target.find('?'), target.size());
    Asked asked;
    asked.message.method = std::string(request.method_string());
    asked.message.path = target.substr(0, question);
    asked.message.query = target.substr(std::min(question + 1, target.size()));
    asked.message.body = request.body();
    asked.message.json = request[http::field::content_type] == "application/json";
    asked.message.octets = request[http::field::content_type] == "application/octet-stream";
    asked.token = std::string(request["X-Auth-Token"]);
    asked.admin_token = std::string(request["X-Admin-Token"]);
    asked.wants_json = request[http::field::accept] == "application/json";
    return asked;
  }

  Server& server_;
  asio::io_context loop_;
  tcp::acceptor acceptor_;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::set<tcp::socket*> open_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

Server::Server(Settings settings) : settings_(std::move(settings)), network_(std::make_unique<Network>(*this, settings_.port)) {}

Server::~Server() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  network_.reset();
}

std::string Server::url() const { return "http://127.0.0.1:" + std::to_string(network_->port()); }

void Server::misbehave(Misbehaviour how) {
  const std::lock_guard guard(mutex_);
  misbehaviours_.push_back(std::move(how));
}

std::vector<std::string> Server::journal() const {
  const std::lock_guard guard(mutex_);
  return journal_;
}

void Server::forget_journal() {
  const std::lock_guard guard(mutex_);
  journal_.clear();
}

int Server::tokens_given() const {
  const std::lock_guard guard(mutex_);
  return tokens_given_;
}

int Server::most_deploying() const {
  const std::lock_guard guard(mutex_);
  return most_deploying_;
}

void Server::hold_deployments(int until_so_many) {
  const std::lock_guard guard(mutex_);
  hold_until_ = until_so_many;
}

std::optional<Fault> Server::fault_for(const std::string& call) {
  for (Misbehaviour& how : misbehaviours_) {
    if (how.times > 0 && call.starts_with(how.call)) {
      --how.times;
      return how.fault;
    }
  }
  return std::nullopt;
}

Server::Answer Server::answer(const Asked& asked) {
  const Message& message = asked.message;
  std::unique_lock guard(mutex_);
  if (message.path == "/token" && message.method == "POST") {
    if (!settings_.admin_token.empty() && asked.admin_token != settings_.admin_token) {
      return {http_fault(401, "The admin token is not valid"), "", {}};
    }
    valid_token_ = "eyJ0.token." + std::to_string(++tokens_given_);
    return {{200, "", "text/html"}, valid_token_, {}};
  }
  const std::string line = line_of(message);
  journal_.push_back(line);
  const auto fault = fault_for(line);
  if (fault == Fault::expired) {
    valid_token_.clear();
  }
  if (!settings_.admin_token.empty() && (valid_token_.empty() || asked.token != valid_token_)) {
    return {http_fault(401, "The token is not valid or has expired"), "", {}};
  }
  if (fault == Fault::busy) {
    return {refusal(503, 1, "Max concurrent deploy/capture requests reached"), "", {}};
  }
  if (fault == Fault::html) {
    return {asked.wants_json ? http_fault(404, "The resource could not be found.")
                             : Reply{404, "<html><head><title>404 Not Found</title></head></html>", "text/html"},
            "",
            {}};
  }
  if (fault == Fault::cut_first) {
    return {{}, "", fault};
  }
  if (!is_deployment(message)) {
    return {hypervisor_.answer(message), "", fault};
  }
  if (deploying_ >= kMostDeploying) {
    return {refusal(503, 1, "Max concurrent deploy/capture requests reached"), "", {}};
  }
  most_deploying_ = std::max(most_deploying_, ++deploying_);
  changed_.notify_all();
  changed_.wait_for(guard, 2s, [&] { return ending_ || deploying_ >= hold_until_; });
  --deploying_;
  return {hypervisor_.answer(message), "", fault};
}

}  // namespace standin
