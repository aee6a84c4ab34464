// An agent on a thread of the test, with roles that are shell scripts.
#pragma once

#include "agent/local_client.hpp"
#include "agent/server.hpp"
#include "remote/sshd.hpp"

#include <boost/json.hpp>
#include <future>
#include <memory>
#include <string>

namespace lab::test {

class TestAgent {
 public:
  // In a subfolder, so that there is an outside; its path is longer than a socket's may be when `deep`.
  explicit TestAgent(bool deep = false, std::chrono::nanoseconds idle_stop = std::chrono::hours{24});
  // On a machine whose own files are under `system`, with roles that are `program`.
  TestAgent(const std::filesystem::path& program, const std::filesystem::path& system);
  TestAgent(const TestAgent&) = delete;
  TestAgent& operator=(const TestAgent&) = delete;
  ~TestAgent();  // shuts it down

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path logs() const { return temporary_.path() / "logs"; }  // on a disk of its own, as it were; not made yet
  std::string socket() const { return (folder_ / "agent.sock").string(); }
  agent::LocalClient connect() const;

  // A call on a connection of its own.
  Result<boost::json::value> call(std::string_view method, const boost::json::object& params = {}) const;
  boost::json::object result(std::string_view method, const boost::json::object& params = {}) const;  // that must succeed
  Error error(std::string_view method, const boost::json::object& params = {}) const;                 // that must fail
  // The parameters of role.start for a role that runs the shell script; it says that it is ready with: echo {} >&3
  boost::json::object order(const std::string& name, const std::string& script, const std::string& role = "pages") const;
  boost::json::object start(const std::string& name, const std::string& script, const std::string& role = "pages") const;

 private:
  void serve(const agent::Options& options);

  TemporaryFolder temporary_;
  std::filesystem::path folder_;
  std::future<Result<void>> served_;
};

inline constexpr const char* kServe = "trap 'exit 0' TERM; echo '{\"listen\": []}' >&3; exec 3>&-; while :; do sleep 0.05; done";

}  // namespace lab::test
