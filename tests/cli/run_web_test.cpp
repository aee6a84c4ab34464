#include "cli/run_web.hpp"

#include "catch_result.hpp"
#include "temporary_folder.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <fstream>
#include <sstream>

using namespace lab;
using namespace std::chrono_literals;

namespace {

// What GET of `path` is answered with, without its head, at the address that was printed.
std::string fetched(const std::string& printed, const std::string& path) {
  const auto colon = printed.find(':', printed.find("http://") + 7);
  boost::asio::io_context io;
  boost::asio::ip::tcp::socket socket(io);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(std::stoi(printed.substr(colon + 1)))});
  boost::asio::write(socket, boost::asio::buffer("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
  std::string reply;
  boost::system::error_code end;
  boost::asio::read(socket, boost::asio::dynamic_buffer(reply), end);
  return reply.substr(reply.find("\r\n\r\n") + 4);
}

live::Begin begin() { return {"local", "webseal-2007", "quick", {"1/cpus=1"}, {"webseal"}, 2}; }

}  // namespace

TEST_CASE("what the run tells its progress is what the live view says") {
  std::ostringstream out, err;
  Interrupt interrupt;
  cli::Context context{out, err, interrupt};
  auto web = cli::RunWeb::start(context, "127.0.0.1:0", false, begin());
  REQUIRE(web.has_value());
  CHECK(err.str().rfind("live view: http://127.0.0.1:", 0) == 0);
  CHECK(out.str().empty());
  Trial trial;
  trial.sides.emplace_back().cell = "1/cpus=1";
  trial.sides.front().pages_per_s = 16250;
  trial.flags = {"noisy-host"};
  trial.notes = {"noisy-host: unaccounted CPU time"};
  (*web)->finished(trial, 1, 2);
  run::TrialPlan next;
  next.sides = {"1/cpus=1"};
  (*web)->starting(next, 2, 2, 90s);
  (*web)->sampled({"webseal", 0.4});
  const auto state = boost::json::parse(fetched(err.str(), "/state")).as_object();
  CHECK(state.at("current").at("left_s") == 90.0);
  CHECK(state.at("finished").at(0).at("sides").at(0).at("pages_per_s") == 16250.0);
  CHECK(state.at("samples").at("webseal").at(0).at(1) == 0.4);
  CHECK(state.at("log") == boost::json::array{"1/2  1/cpus=1  16,250 pages/s  noisy-host", "    noisy-host: unaccounted CPU time"});
}

TEST_CASE("at the end the page is the report; Ctrl-C ends the wait for it") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "report.html") << "<!doctype html>the report";
  std::ostringstream out, err;
  Interrupt interrupt;
  cli::Context context{out, err, interrupt};
  auto web = cli::RunWeb::start(context, "127.0.0.1:0", false, begin());
  REQUIRE(web.has_value());
  interrupt.raise();
  (*web)->end(folder.path() / "report.html", {});
  CHECK(fetched(err.str(), "/") == "<!doctype html>the report");
}

TEST_CASE("an address that lab run --web cannot take is refused before anything is touched") {
  std::string good = "127.0.0.1:0", bad = "example.com:80";
  CHECK(cli::listening_address()(good).empty());
  CHECK(cli::listening_address()(bad) ==
        "this is no address to listen on: example.com:80; give one such as 127.0.0.1:0, [::1]:8080 or 8080");
}
