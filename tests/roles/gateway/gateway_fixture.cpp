#include "gateway_fixture.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lab::gateway::test {

void FakeAuthenticator::authenticate(std::string user, std::string password, std::function<void(Login)> answer) {
  Login login;
  if (user != "down") {
    const bool known = (user == "alice" || user == "bob") && password == "secret";
    login.outcome = known ? Login::Outcome::granted : Login::Outcome::refused;
    login.user = user;
    if (user == "alice") {
      login.groups = {"odd \"group\"", "staff"};
    }
  }
  loop_.post([login = std::move(login), answer = std::move(answer)] { answer(login); });
}

Junction tcp_junction(const std::string& point, const std::vector<std::uint16_t>& ports) {
  Junction junction;
  junction.point = point;
  for (const std::uint16_t port : ports) {
    junction.servers.push_back({"127.0.0.1", port});
  }
  return junction;
}

Junction local_junction(const std::string& point) {
  Junction junction;
  junction.point = point;
  junction.type = JunctionType::local;
  return junction;
}

TestGateway::TestGateway(GatewayConfig config, const std::optional<Timeouts>& timeouts) {
  config.timeouts = timeouts.value_or(config.timeouts);
  if (config.service.plain.empty() && config.service.tls.empty()) {
    config.service.plain = {{"127.0.0.1", 0}};
  }
  ServiceOptions options;
  options.authenticator = [](net::Loop& loop, const DirectoryClient&) -> Result<std::unique_ptr<Authenticator>> {
    return std::unique_ptr<Authenticator>(std::make_unique<FakeAuthenticator>(loop));
  };
  options.report = [this](const Error& error) {
    const std::lock_guard lock(mutex_);
    reports_.push_back(error.what);
  };
  auto service = Service::start(config, options);
  REQUIRE(service);
  service_ = std::move(*service);
}

std::vector<std::string> TestGateway::reports() const {
  const std::lock_guard lock(mutex_);
  return reports_;
}

std::uint16_t TestGateway::port() const {
  const std::string url = service_->listening().front();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

std::string TestGateway::ask(const std::string& request_line, const std::string& lines, const std::string& body) const {
  Peer client = connect();
  client.send(request_line + "\r\nHost: lab\r\n" + lines + "\r\n" + body);
  return client.read_response(request_line.starts_with("HEAD"));
}

boost::json::object TestGateway::call(std::string_view method, const boost::json::object& params) {
  return service_->control(method, params).value().as_object();
}

GatewayConfig with_directory(GatewayConfig config) {
  config.directory.url = "ldap://127.0.0.1:1";
  return config;
}

std::string basic(const std::string& user, const std::string& password) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string text = user + ":" + password;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8U | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > text.size() ? '=' : letters[word >> (18 - 6 * k) & 63U];
    }
  }
  return "Authorization: Basic " + out + "\r\n";
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "lab-gateway-XXXXXX").string();
  path = mkdtemp(name.data());
}

Folder::~Folder() { std::filesystem::remove_all(path); }

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace lab::gateway::test
