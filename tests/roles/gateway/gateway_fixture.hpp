// A gateway on a port of the kernel's choice, with a directory that knows alice and bob.
#pragma once

#include "roles/gateway/service.hpp"
#include "sockets.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lab::gateway::test {

// alice:secret is in staff and "odd \"group\""; bob:secret in none; "down" finds the directory down.
class FakeAuthenticator final : public Authenticator {
 public:
  explicit FakeAuthenticator(net::Loop& loop) : loop_(loop) {}
  void authenticate(std::string user, std::string password, std::function<void(Login)> answer) override;

 private:
  net::Loop& loop_;
};

Junction tcp_junction(const std::string& point, const std::vector<std::uint16_t>& ports);
Junction local_junction(const std::string& point);

// With plain HTTP on one thread unless the configuration says otherwise.
class TestGateway {
 public:
  explicit TestGateway(GatewayConfig config, const std::optional<Timeouts>& timeouts = {});

  std::uint16_t port() const;
  Peer connect() const { return Peer::connect(port()); }
  // One exchange on a connection of its own. `lines`: request line and headers, each with its CRLF, without Host and the empty line.
  std::string ask(const std::string& request_line, const std::string& lines = "", const std::string& body = "") const;
  boost::json::object call(std::string_view method, const boost::json::object& params = {});
  std::vector<std::string> reports() const;  // what the operator was told
  Service& service() { return *service_; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> reports_;
  std::unique_ptr<Service> service_;
};

GatewayConfig with_directory(GatewayConfig config);                       // logins wanted everywhere
std::string basic(const std::string& user, const std::string& password);  // "Authorization: Basic …\r\n"

// A folder that goes with the test.
class Folder {
 public:
  Folder();
  ~Folder();
  std::filesystem::path path;
};
std::string text_of(const std::filesystem::path& file);

}  // namespace lab::gateway::test
