#include "agent/local_client.hpp"

#include "agent/unix_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace lab::agent {
namespace {

using namespace std::chrono_literals;

}  // namespace

Result<LocalClient> LocalClient::connect(const std::string& socket, Deadline deadline) {
  auto connected = connect_unix(socket);
  if (!connected) {
    return connected.error();
  }
  LocalClient client(std::move(*connected));
  const auto hello = client.call("hello", {{"protocol", kProtocol}}, deadline);
  if (!hello) {
    return hello.error();
  }
  client.hello_ = hello->is_object() ? hello->get_object() : boost::json::object();
  return client;
}

Result<boost::json::value> LocalClient::call(std::string_view method, const boost::json::object& params, Deadline deadline) {
  std::string out = request_line(++last_id_, method, params);
  while (!out.empty()) {
    const ssize_t sent = send(socket_.get(), out.data(), out.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      out.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return system_error("write to the agent", errno);
    } else if (const auto ready = wait(POLLOUT, deadline); !ready) {
      return ready.error();
    }
  }
  std::array<char, 65536> buffer;
  while (true) {
    if (const auto end = in_.find('\n'); end != std::string::npos) {
      auto response = parse_response(std::string_view(in_).substr(0, end));
      in_.erase(0, end + 1);
      return response ? std::move(response->result) : Result<boost::json::value>(response.error());
    }
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      in_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || in_.size() > kLineLimit) {
      return Error{"the agent closed the connection", {}, {}};
    } else if (errno != EAGAIN && errno != EINTR) {
      return system_error("read from the agent", errno);
    } else if (const auto ready = wait(POLLIN, deadline); !ready) {
      return ready.error();
    }
  }
}

Result<void> LocalClient::wait(short events, Deadline deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd entry{socket_.get(), events, 0};
  if (left <= 0ms || poll(&entry, 1, static_cast<int>(std::min<std::chrono::milliseconds>(left, 1h).count())) == 0) {
    return Error{"the agent does not answer in time", {}, {}};
  }
  return {};
}

}  // namespace lab::agent
