#include "agent/client.hpp"

#include "agent/rpc.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace lab::agent {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr auto kLeaseRenewal = 1s;  // of the 5 s after which an agent stops its load
constexpr auto kWriteTime = 10s;

Error located(Error error, const std::string& node, std::string_view method) {
  error.where = "node " + node + ": " + std::string(method);
  return error;
}

// The agent gives up a little earlier than its caller, so that its own message arrives.
void pass_deadline(std::string_view method, json::object& params, Deadline deadline) {
  const bool waits = method == "role.start" || method == "role.wait" || method == "role.call";
  if (waits && !params.contains("timeout_ns")) {
    const auto left = std::chrono::nanoseconds(deadline - Clock::now());
    params["timeout_ns"] = std::max<std::int64_t>((left - std::min<std::chrono::nanoseconds>(left / 10, 200ms)).count(), 0);
  }
}

}  // namespace

// A thread owns the SSH session; callers leave their requests in a queue and wait for the answer of their number.
class Fleet::Connection {
 public:
  Connection(std::string node, std::unique_ptr<remote::Remote> remote, std::unique_ptr<remote::Channel> channel)
      : node_(std::move(node)), remote_(std::move(remote)), channel_(std::move(channel)), thread_([this] { run(); }) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    channel_->abort();
    thread_.join();
  }

  Result<json::value> call(std::string_view method, json::object params, Deadline deadline) {
    pass_deadline(method, params, deadline);
    const Lease lease(*this, method, params);
    std::unique_lock lock(mutex_);
    const std::int64_t id = ++last_id_;
    queue_.push_back(request_line(id, method, params));
    answers_[id] = std::nullopt;
    channel_->wake();
    changed_.wait_until(lock, deadline, [&] { return answers_[id].has_value() || lost_.has_value(); });
    const auto answer = std::move(answers_.extract(id).mapped());
    if (!answer) {
      return located(lost_ ? *lost_ : Error{"no answer in time", {}, "`lab status` shows what still answers"}, node_, method);
    }
    return *answer ? *answer : Result<json::value>(located(answer->error(), node_, method));
  }

 private:
  // While a load is known to run, its lease is renewed.
  class Lease {
   public:
    Lease(Connection& connection, std::string_view method, const json::object& params)
        : connection_(connection), name_(text_or_empty(params, "name")), ends_(method == "role.stop" || method == "role.wait") {
      const std::lock_guard lock(connection_.mutex_);
      const std::string role = text_or_empty(params, "role");
      if (method == "role.start" && (role == "load" || role == "guest")) {
        connection_.loads_.insert(name_);
      }
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(connection_.mutex_);
      if (ends_) {
        connection_.loads_.erase(name_);
      }
    }

   private:
    Connection& connection_;
    std::string name_;
    bool ends_;
  };

  void run() {
    auto renewal = Clock::now();
    std::string in;
    while (true) {
      if (const auto sent = send_queued(renewal); !sent) {
        return lose(sent.error());
      }
      const auto some = channel_->read(renewal);
      if (!some) {
        return lose(some.error());
      }
      if (*some && (*some)->empty()) {
        return lose(Error{"the agent closed the connection", {}, {}, channel_->errors()});
      }
      in += some->value_or("");
      take_lines(in);
      if (in.size() > kLineLimit) {
        return lose(Error{"the agent's answer is longer than 1 MiB", {}, {}});
      }
    }
  }

  Result<void> send_queued(Deadline& renewal) {
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) {
        return Error{"the connection is closed", {}, {}};
      }
      lines.swap(queue_);
      if (Clock::now() >= renewal) {
        renewal = Clock::now() + kLeaseRenewal;
        if (!loads_.empty()) {
          lines.push_back(request_line(++last_id_, "lease", {}));
        }
      }
    }
    for (const std::string& line : lines) {
      if (const auto written = channel_->write(line, Clock::now() + kWriteTime); !written) {
        return written.error();
      }
    }
    return {};
  }

  void take_lines(std::string& in) {
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = in.find('\n', begin)) != std::string::npos; begin = end + 1) {
      auto response = parse_response(std::string_view(in).substr(begin, end - begin));
      if (!response) {
        continue;  // a notification
      }
      const std::lock_guard lock(mutex_);
      const auto waiting = answers_.find(response->id);
      if (waiting != answers_.end()) {
        waiting->second = std::move(response->result);
        changed_.notify_all();
      }
    }
    in.erase(0, begin);
  }

  void lose(const Error& error) {
    const std::lock_guard lock(mutex_);
    lost_ = Error{"the connection to the agent is lost: " + error.what, {}, "`lab status` shows what still answers", error.detail};
    changed_.notify_all();
  }

  const std::string node_;
  std::unique_ptr<remote::Remote> remote_;
  std::unique_ptr<remote::Channel> channel_;  // goes before its remote
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> queue_;                                      // lines to send
  std::map<std::int64_t, std::optional<Result<json::value>>> answers_;  // of those who wait
  std::set<std::string> loads_;                                         // roles whose lease is renewed
  std::optional<Error> lost_;
  std::int64_t last_id_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

Fleet::Fleet() = default;
Fleet::~Fleet() = default;

Result<void> Fleet::add(const StandingNode& node, std::unique_ptr<remote::Remote> remote, Deadline deadline) {
  auto channel = remote->open(attach_command(node), deadline);
  if (!channel) {
    return channel.error();
  }
  auto connection = std::make_unique<Connection>(node.name, std::move(remote), std::move(*channel));
  const auto hello = connection->call("hello", {{"protocol", kProtocol}}, deadline);
  if (!hello) {
    return hello.error();
  }
  const std::lock_guard lock(mutex_);
  connections_[node.name] = std::move(connection);
  return {};
}

Fleet::Connection* Fleet::find(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(node);
  return found != connections_.end() ? found->second.get() : nullptr;
}

bool Fleet::has(const std::string& node) const { return find(node) != nullptr; }

Result<json::value> Fleet::call(const std::string& node, std::string_view method, json::object params, Deadline deadline) {
  Connection* connection = find(node);
  if (connection == nullptr) {
    return located(Error{"not connected to an agent there", {}, "`lab status` shows what stands"}, node, method);
  }
  return connection->call(method, std::move(params), deadline);
}

}  // namespace lab::agent
