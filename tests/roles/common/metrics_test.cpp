#include "roles/common/metrics.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdio>
#include <memory>

using namespace lab;
using roles::MetricsServer;
using roles::MetricsText;

namespace {

// By curl, which nobody here wrote.
std::string curl(const std::string& arguments) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("curl -sS -m 10 " + arguments).c_str(), "r"), pclose);
  std::string out;
  char buffer[4096];
  while (const std::size_t got = fread(buffer, 1, sizeof buffer, pipe.get())) {
    out.append(buffer, got);
  }
  return out;
}

}  // namespace

TEST_CASE("an exposition follows OpenMetrics: types, totals, escaped labels, an end") {
  MetricsText text;
  text.counter("requests", "Requests.").sample(7);
  text.gauge("servers", "Servers.").sample(1, MetricsText::label("point", "/a\"b\\c\n") + "," + MetricsText::label("state", "running"));
  CHECK(text.finish() ==
        "# TYPE lab_requests counter\n# HELP lab_requests Requests.\nlab_requests_total 7\n"
        "# TYPE lab_servers gauge\n# HELP lab_servers Servers.\n"
        "lab_servers{point=\"/a\\\"b\\\\c\\n\",state=\"running\"} 1\n# EOF\n");
}

TEST_CASE("metrics are served at /metrics, and nothing else is") {
  std::atomic<int> asked{0};
  const auto server = MetricsServer::start({"127.0.0.1", 0}, [&asked]() -> Result<std::string> {
    ++asked;
    return std::string("# EOF\n");
  });
  REQUIRE(server);
  const std::string& url = (*server)->url();
  const std::string answered = curl("-i " + url);
  CHECK(answered.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answered.find("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n") != std::string::npos);
  CHECK(answered.ends_with("\r\n\r\n# EOF\n"));
  CHECK(curl("-I " + url).find("Content-Length: 6\r\n") != std::string::npos);
  CHECK(curl("-o /dev/null -w '%{http_code}' " + url + "/other") == "404");
  CHECK(curl("-o /dev/null -w '%{http_code}' -X POST " + url) == "405");
  CHECK(asked == 2);
}

TEST_CASE("metrics that cannot be had are 503 with the reason") {
  const auto server = MetricsServer::start({"127.0.0.1", 0}, []() -> Result<std::string> { return Error{"a thread is busy", {}, {}, {}}; });
  REQUIRE(server);
  CHECK(curl("-w '%{http_code}' " + (*server)->url()) == "a thread is busy\n503");
}
