#include "roles/load/outcome.hpp"

#include "catch_result.hpp"
#include "roles/load/request.hpp"
#include "roles/load/url.hpp"

#include <boost/json.hpp>

using namespace lab;
using namespace lab::load;

namespace {

Outcome a_second() {
  Outcome outcome;
  outcome.start_ns = 1'000'000'000;
  outcome.measure_ns = 1'500'000'000;
  outcome.end_ns = 2'500'000'000;
  outcome.clients = 4;
  Tally& tally = outcome.tally;
  tally.clients_begun = tally.clients_connected = 4;
  tally.in(Window::warmup).begun = 54;
  tally.in(Window::warmup).done = 50;
  tally.in(Window::measure).begun = 100;
  tally.in(Window::measure).done = 98;
  tally.in(Window::measure).failed = 2;
  tally.in(Window::measure).errors[static_cast<std::size_t>(ErrorClass::body)] = 2;
  tally.in(Window::drain).done = 3;
  tally.cut_off = 1;
  for (int i = 1; i <= 98; ++i) {
    tally.service.record(static_cast<std::uint64_t>(i) * 1'000'000);
  }
  return outcome;
}

}  // namespace

TEST_CASE("the JSON has every key of the contract, and its counts add up") {
  const boost::json::object json = to_json(a_second());
  const auto of = [&json](const char* key) { return boost::json::serialize(json.at(key)); };
  CHECK(of("requests") == R"({"started":104,"done":98,"failed":2,"in_flight":4})");
  CHECK(of("errors") == R"({"connect":0,"tls":0,"timeout":0,"status":0,"body":2,"header":0,"protocol":0,"closed":0})");
  CHECK(json.at("rate").at("target").is_null());
  CHECK(json.at("rate").at("achieved").as_double() == 98);
  CHECK(json.at("total").at("started") == 154);
  CHECK(json.at("total").at("done") == 151);
  CHECK(json.at("total").at("in_flight") == 1);
  CHECK(json.at("warmup").at("in_flight") == 4);
  CHECK(json.at("drain").at("started") == 4);
  CHECK(json.at("drain").at("in_flight") == 1);
  CHECK(json.at("drain").at("cut_off").at("count") == 1);
  CHECK(json.at("service_us").at("max") == 98'000.0);
  CHECK(json.at("service_us").at("mean") == 49'500.0);
  CHECK(of("measure") == R"({"start_ns":1500000000,"end_ns":2500000000})");
  for (const char* key :
       {"connect_us", "tls_us", "handshakes", "bytes", "duration_s", "cpu_s", "reconnects", "retries", "logins", "tls", "sha256_checked",
        "openssl_cpu", "connections", "service_histogram", "wait_us", "transfer_us", "page_us", "checks", "flags"}) {
    CAPTURE(key);
    CHECK(json.contains(key));
  }
}

TEST_CASE("thresholds are judged on the measurement, all at once") {
  const Outcome outcome = a_second();
  const auto judged = [&outcome](std::initializer_list<const char*> texts) {
    std::vector<Threshold> thresholds;
    for (const char* text : texts) {
      thresholds.push_back(parse_threshold(text).value());
    }
    const Result<void> verdict = judge(outcome, thresholds);
    return verdict ? std::string("kept") : verdict.error().what;
  };
  CHECK(judged({"p99>100ms", "p50>60ms", "errors>2.5%", "rate<98", "max>98ms", "mean>49.5ms"}) == "kept");
  CHECK(judged({"max>97ms", "rate<98.5", "errors>1.9%"}) ==
        "threshold missed: max>97ms (it was 98ms), rate<98.5 (it was 98.0/s), errors>1.9% (it was 2.000%)");
  CHECK(judged({"p99.9<1s"}).starts_with("threshold missed: p99.9<1s"));
  CHECK(judge(outcome, {parse_threshold("max>1us").value()}).error().failure == Failure::missed);
}

TEST_CASE("a threshold that is none is refused") {
  for (const char* text : {"", "p99", "p98>1ms", "p99=1ms", "p99>", "p99>fast", "errors>3", "errors>-1%", "rate<1ms"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_threshold(text));
  }
}

TEST_CASE("a URL is taken apart") {
  const Url url = parse_url("https://pages.test:9443/a/b?c=/d").value();
  CHECK(url.tls);
  CHECK(url.host == "pages.test");
  CHECK(url.port == 9443);
  CHECK(url.authority == "pages.test:9443");
  CHECK(url.target == "/a/b?c=/d");
  CHECK(url.path == "/a/b");
  CHECK(parse_url("http://x")->target == "/");
  CHECK(parse_url("http://x")->authority == "x");
  CHECK(parse_url("http://x")->port == 80);
  CHECK(parse_url("https://x:443/")->authority == "x");
  CHECK(parse_url("http://x?q")->target == "/?q");
  CHECK(parse_url("http://[::1]:80/")->host == "::1");
  CHECK(parse_url("http://[::1]:81/")->authority == "[::1]:81");
}

TEST_CASE("a URL that is none is refused") {
  for (const char* text : {"", "x", "ftp://x/", "http://", "http:///p", "http://u@x/", "http://x:0/", "http://x:99999/", "http://x:/",
                           "http://::1/", "http://x/a b", "http://x/#f", "http://[::1/"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_url(text));
  }
}

TEST_CASE("credentials are encoded as RFC 7617 has it") {
  CHECK(basic_authorization({"Aladdin", "open sesame"}) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(basic_authorization({"a", ""}) == "Basic YTo=");
}

TEST_CASE("a Host header given replaces the URL's") {
  std::string request;
  write_request(request, parse_url("http://127.0.0.1:1/").value(), {"Host: www.test"},
                {.authorization = "Basic x", .cookie = "a=b", .close = true});
  CHECK(request == "GET / HTTP/1.1\r\nHost: www.test\r\nAuthorization: Basic x\r\nCookie: a=b\r\nConnection: close\r\n\r\n");
}
