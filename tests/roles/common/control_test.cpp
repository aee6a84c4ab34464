#include "net/socket.hpp"
#include "roles/common/role.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <filesystem>

using namespace lab;
namespace json = boost::json;

namespace {

std::string socket_path() { return std::filesystem::temp_directory_path() / ("lab-control-" + std::to_string(getpid()) + ".sock"); }

Result<json::value> echo(std::string_view method, const json::object& params) {
  if (method != "echo") {
    return Error{"no such method"};
  }
  return json::value(params);
}

}  // namespace

TEST_CASE("a control call gets its handler's answer, whatever its size") {
  const auto server = roles::ControlServer::start(socket_path(), echo);
  REQUIRE(server);
  for (const std::size_t size : {1u, 100'000u, 900'000u}) {
    const json::object params{{"text", std::string(size, 'x')}};
    const auto answer = roles::control_call(socket_path(), "echo", params, 5000);
    REQUIRE(answer);
    CHECK((*answer == json::value(params)));
  }
}

TEST_CASE("an unknown method is an error that says so") {
  const auto server = roles::ControlServer::start(socket_path(), echo);
  REQUIRE(server);
  const auto answer = roles::control_call(socket_path(), "other", {}, 5000);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().what == "no such method");
}

TEST_CASE("the control socket is its owner's alone and goes with the server") {
  {
    const auto server = roles::ControlServer::start(socket_path(), echo);
    REQUIRE(server);
    struct stat status {};
    REQUIRE(stat(socket_path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK_FALSE(roles::ControlServer::start(socket_path(), echo));
  }
  CHECK_FALSE(std::filesystem::exists(socket_path()));
  CHECK_FALSE(roles::control_call(socket_path(), "echo", {}, 5000));
}

TEST_CASE("a line that is no call is answered with an error, and the connection goes on") {
  const auto server = roles::ControlServer::start(socket_path(), echo);
  REQUIRE(server);
  const net::Fd fd = net::connect_unix(socket_path()).value();
  const std::string lines = "nonsense\n[1]\n{\"id\":7,\"method\":\"echo\"}\n";
  REQUIRE(write(fd.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
  std::string got;
  while (std::count(got.begin(), got.end(), '\n') < 3) {
    pollfd ready{fd.get(), POLLIN, 0};
    REQUIRE(poll(&ready, 1, 5000) == 1);
    char buffer[1000];
    const ssize_t size = read(fd.get(), buffer, sizeof buffer);
    REQUIRE(size > 0);
    got.append(buffer, static_cast<std::size_t>(size));
  }
  CHECK(got.find("-32700") != std::string::npos);
  CHECK(got.find("-32600") != std::string::npos);
  CHECK(got.find(R"({"jsonrpc":"2.0","id":7,"result":{}})") != std::string::npos);
}

TEST_CASE("the ready line names the listeners and closes its descriptor") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  roles::tell_ready(ends[1], {"http://127.0.0.1:8080"});
  char buffer[1000];
  const ssize_t size = read(ends[0], buffer, sizeof buffer);
  REQUIRE(size > 0);
  const json::value ready = json::parse(std::string(buffer, static_cast<std::size_t>(size)));
  CHECK(ready.at("listen").at(0).as_string() == "http://127.0.0.1:8080");
  CHECK(ready.at("pid").as_int64() == getpid());
  CHECK(read(ends[0], buffer, sizeof buffer) == 0);
  close(ends[0]);
}
