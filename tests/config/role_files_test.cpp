#include "config/config.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using namespace std::chrono_literals;

namespace {

const std::string kOdd = "a\"b\\c\td é 💡 #: {}[],&*!|>'%@` null ~ 0x10";

Service every_service() {
  return {{{"127.0.0.1", 8080}, {"::1", 0}},
          {{"localhost", 8443}},
          {"/c.pem", "/k.pem", TlsVersion::tls1_2, TlsVersion::tls1_2, "A:B"},
          3,
          "/run/x.sock",
          Endpoint{"127.0.0.1", 9100}};
}

GatewayConfig every_gateway() {
  GatewayConfig config;
  config.service = every_service();
  config.software = Software::haproxy;
  config.server_name = "gw é";
  config.basic = BasicAuthentication::https;
  config.realm = "the \"lab\" \\ realm";
  config.directory = {"ldap://127.0.0.1:3890", "/ca.pem", "ou=p,dc=x", "ou=g,dc=x", 9, true};
  config.junctions = {{"/app",
                       JunctionType::ssl,
                       {{"10.0.0.1", 443}, {"h", 1}},
                       {true, false, true},
                       BasicHeader::supply,
                       "h:1",
                       true,
                       true,
                       "/s.pem",
                       "C",
                       TlsVersion::tls1_2},
                      {"/", JunctionType::local, {}, {}, BasicHeader::ignore, "", false, false, "", "", std::nullopt}};
  config.access = {{"/", AccessRule::Who::authenticated, {}, {}},
                   {"/open", AccessRule::Who::everybody, {}, {}},
                   {"/shut", AccessRule::Who::nobody, {}, {}},
                   {"/some", AccessRule::Who::listed, {"u 1", "null"}, {"group0"}}};
  Junction& every = config.junctions.front();
  every.case_insensitive = every.stateful = every.session_cookie = every.junction_cookie = true;
  every.server_dn = "CN=x,O=y";
  every.client_certificate = "/cc.pem";
  every.client_key = "/ck.pem";
  every.login = Credentials{"gw", ""};
  every.soft_limit = 3;
  every.hard_limit = 4;
  every.supply_password = "";
  every.gso = "/users";
  config.junctions.back().virtual_host = "www:8080";
  config.junctions.back().directory = "/www";
  config.access.front().permissions = "Trmd";
  config.access.back().permissions = "";
  config.policies = {{"/p", ObjectPolicy::Protection::privacy, {0, 6}, 22 * 60 + 5, 6 * 60, true, {"10.0.0.0/8", "::1"}},
                     {"/q", ObjectPolicy::Protection::integrity}};
  config.blocked_methods = {};
  config.trusted_proxies = {"127.0.0.1"};
  config.pages = "/pages";
  config.forms = BasicAuthentication::https;
  config.max_head = 2048;
  config.max_body = 1;
  config.max_kept = 0;
  config.timeouts = {1ns, 2ms, 3s, 4s, 5s, 6s, 7s, 0s};
  config.logs = {"/l/request.log", "/dev/null", "/l/referer.log", 0, 20s, true, true, true};
  config.session_entries = 17;
  config.session_lifetime = 61s;
  config.session_idle = 7s;
  return config;
}

LoadConfig every_load() {
  LoadConfig config;
  config.url = "https://127.0.0.1:8443/page/5.8KB?x=1#y";
  config.clients = 10;
  config.threads = 2;
  config.rate = 5000;
  config.poisson = true;
  config.spin = true;
  config.first_arrival = 20us;
  config.seed = 77;
  config.against = LoadAgainst{"http://127.0.0.1:9/", 20ms,        7ms, LoginMode::none, HandshakeMode::full, TlsVersion::tls1_2,
                               TlsVersion::tls1_3,    "AES128-SHA"};
  config.full_each = 10;
  config.requests_per_connection = 100;
  config.ciphersuites = "TLS_AES_128_GCM_SHA256";
  config.groups = "X25519:P-256";
  config.server_name = "www.example.com";
  config.certificate = "/client.pem";
  config.key = "/client.key";
  config.sources = {"127.0.0.2", "127.0.0.3"};
  config.method = LoginMethod::forms;
  config.preemptive = true;
  config.login_path = "/in";
  config.logout_path = "/out";
  config.logout_after = 3;
  config.cookies = true;
  config.steps = {{"/a?b", 3, "POST", "x=1\n"}, {"/c", 1, "GET", ""}};
  config.expect_status = {200, 404};
  config.expect_header = "X-A: b";
  config.expect_text = " hello ";
  config.csv = "/x/y.csv";
  config.warmup = 300ms;
  config.duration = 1234567891ns;
  config.requests = 9'000'000'000'000'000'000U;
  config.start_at_ns = 9'007'199'254'740'993;
  config.timeout = 1us;
  config.handshake = HandshakeMode::resume;
  config.close = true;
  config.tls_min = TlsVersion::tls1_2;
  config.tls_max = TlsVersion::tls1_3;
  config.ciphers = "ECDHE-RSA-AES128-GCM-SHA256";
  config.insecure = true;
  config.ca = "/ca.pem";
  config.login = LoginMode::every;
  config.users = {{"true", "null"}, {"12", ""}, {"~", kOdd + "\n\r\x01"}, {"é", " edge spaces "}};
  config.generated_users = 1000;
  config.first_user = 5;
  config.think = 250us;
  config.headers = {"X-A: " + std::string("b \"c\" \\ d"), "Host: x"};
  config.expect_bytes = 3040870;
  config.expect_sha256 = "00ff";
  config.expect_pages = true;
  config.hdr = "/x/y z.hlog";
  config.control = "/tmp/c";
  return config;
}

template <class Config, class Parse>
void check_round_trip(const Config& config, Parse parse) {
  const std::string text = boost::json::serialize(config::to_json(config));
  CAPTURE(text);
  const Result<Config, Errors> back = parse(text, "config.json");
  if (back.has_error()) {
    FAIL(to_string(back.error().front()));
  }
  CHECK(*back == config);
}

template <class T>
std::string only_error(const Result<T, Errors>& result) {
  REQUIRE(result.has_error());
  REQUIRE(result.error().size() == 1);
  return to_string(result.error().front());
}

}  // namespace

TEST_CASE("role files written as JSON read back to the same value, every field set") {
  check_round_trip(every_gateway(), config::parse_gateway);
  check_round_trip(every_load(), config::parse_load);
  check_round_trip(PagesConfig{every_service()}, config::parse_pages);
  check_round_trip(PagesConfig{every_service(), DatabaseClient{{"::1", 5432}, "lab", "pages", "it's \"secret\"", 7, true},
                               std::chrono::microseconds(1500)},
                   config::parse_pages);
  check_round_trip(DatabaseConfig{{"127.0.0.1", 5432}, "other", "me", "it's \"secret\"", "/tmp/c"}, config::parse_database);
  check_round_trip(GuestConfig{3, 1500ms, "/tmp/c"}, config::parse_guest);
  check_round_trip(DirectoryConfig{every_service(), "", 1000}, config::parse_directory);
  DirectoryConfig every{every_service(), "/some file.ldif", 0, "/run/ldapi", {"cn=admin,dc=lab", "secret"}, "/saved.ldif", 77, {}};
  every.faults = {{{Fault::Operation::bind, Fault::Operation::remove},
                   "uid=a*",
                   0.5,
                   2,
                   Fault::Distribution::uniform,
                   std::chrono::milliseconds(1),
                   std::chrono::milliseconds(2),
                   Fault::Answer::busy},
                  {{}, {}, 1, {}, Fault::Distribution::exponential, std::chrono::seconds(1), {}, Fault::Answer::hang}};
  check_round_trip(every, config::parse_directory);
}

TEST_CASE("role files with defaults read back to the same value") {
  GatewayConfig gateway;
  gateway.service.plain = {{"127.0.0.1", 0}};
  check_round_trip(gateway, config::parse_gateway);
  LoadConfig load;
  load.url = "http://127.0.0.1:1/";
  check_round_trip(load, config::parse_load);
}

TEST_CASE("a role file may be YAML, with one listener written without a list") {
  const auto pages = config::parse_pages("# pages\nhttp: 127.0.0.1:9080\nthreads: 2\n", "pages.yaml");
  REQUIRE(pages.has_value());
  CHECK(pages->service.plain == std::vector<Endpoint>{{"127.0.0.1", 9080}});
  CHECK(pages->service.threads == 2);
}

TEST_CASE("a JSON role file of a thousand users on one line is read") {
  LoadConfig load;
  load.url = "http://127.0.0.1:1/";
  for (int i = 0; i < 1000; ++i) {
    load.users.push_back({"user" + std::to_string(i), std::string(100, 'x')});
  }
  check_round_trip(load, config::parse_load);
}

TEST_CASE("a role file's mistakes are told with their place") {
  CHECK(only_error(config::parse_pages("http: 127.0.0.1\n", "p.yaml")) ==
        "`http` wants host:port, like 127.0.0.1:8080 or [::1]:8080, not `127.0.0.1`\n"
        "  at p.yaml:1:7\n"
        "    1 | http: 127.0.0.1\n"
        "      |       ^~~~~~~~~");
  CHECK(only_error(config::parse_pages("https: 127.0.0.1:1\n", "p.yaml")) ==
        "`https` without a certificate\n"
        "  at p.yaml:1:1\n"
        "    1 | https: 127.0.0.1:1\n"
        "      | ^~~~~\n"
        "  add `tls: {cert: FILE, key: FILE}`");
  CHECK(only_error(config::parse_pages("threads: 1\n", "p.yaml")).starts_with("no listener\n  at p.yaml:1:1\n"));
  CHECK(config::parse_directory("ldapi: /run/ldapi\nusers: 1\n", "d.yaml").has_value());
  CHECK(config::parse_faults("[{answer: drop}]", "f.yaml")->front().answer == Fault::Answer::drop);
  CHECK(config::parse_faults("faults: [{operations: bind, rate: 10%}]", "f.yaml")->front().rate == 0.1);
  CHECK(config::parse_faults("[]", "f.yaml")->empty());
  CHECK(only_error(config::parse_faults("[{distribution: uniform, latency: 1s}]", "f.yaml")).starts_with("this distribution needs"));
  CHECK(only_error(config::parse_faults("[{latency-high: 1s}]", "f.yaml")).starts_with("`latency-high` has no meaning here"));
  CHECK(only_error(config::parse_faults("[{distribution: uniform, latency: 2s, latency-high: 1s}]", "f.yaml"))
            .starts_with("`latency-high` is below"));
  CHECK(only_error(config::parse_gateway("http: a:1\ndirectory: {url: \"ldaps://a:1\", starttls: true}\n", "g.yaml"))
            .starts_with("`starttls` with"));
  CHECK(only_error(config::parse_directory("ldap: a:1\n", "d.yaml")).starts_with("a directory has either `ldif` or `users`\n"));
  CHECK(only_error(config::parse_load("url: http://x/\nauth: evry\n", "l.yaml")) ==
        "unknown auth `evry`\n"
        "  at l.yaml:2:7\n"
        "    2 | auth: evry\n"
        "      |       ^~~~\n"
        "  allowed: none, once, every; did you mean `every`?");
  CHECK(only_error(config::parse_gateway("http: a:1\njunctions: [{point: /, type: tcp}]\n", "g.yaml"))
            .starts_with("junction `/` has no servers\n  at g.yaml:2:13\n"));
}

TEST_CASE("a gateway's file tells what is wrong with its policies, limits and junctions") {
  const auto told = [](const std::string& text) { return only_error(config::parse_gateway("http: 127.0.0.1:1\n" + text, "g.yaml")); };
  CHECK(told("policies: [{path: /, from: 25:00}]").find("`from` wants a time of day like 08:30, not `25:00`") != std::string::npos);
  CHECK(told("policies: [{path: /, days: [moon]}]").find("moon") != std::string::npos);
  CHECK(told("limits: {head: 10}").find("`head` wants a size from 1024 to 131072 bytes") != std::string::npos);
  CHECK(told("access: [{path: /, permissions: Tx}]").find("`permissions` wants letters of Trmd") != std::string::npos);
  CHECK(told("junctions: [{point: /a/../b, type: local}]").find("`point` wants a path without empty segments, `.` and `..`") !=
        std::string::npos);
  CHECK(told("logs: {columns: [junction, bytes]}").find("bytes") != std::string::npos);
}

TEST_CASE("a junction alone is read as in a gateway's file") {
  const auto read = config::parse_junction(R"({"point": "/app", "servers": ["127.0.0.1:9080"], "stateful": true})", "junction");
  REQUIRE(read);
  CHECK(read->stateful);
  CHECK(only_error(config::parse_junction(R"({"point": "/app"})", "junction")).find("has no servers") != std::string::npos);
}
