// Real nginx and HAProxy before a real back end, and what they are told.
#include "roles/peers/gateway.hpp"

#include "catch_result.hpp"
#include "lab/lab.hpp"
#include "pki/pki.hpp"
#include "roles/pages/service.hpp"
#include "roles/peers/database.hpp"
#include "temporary_folder.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

using namespace lab;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

std::uint16_t free_port() {
  const net::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return net::Address::local_of(socket.get()).port();
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// A back end with a certificate of its own authority, and a folder that a gateway works in.
class Bench {
 public:
  Bench() : before_(fs::current_path()) {
    const fs::path certificates = folder_ / "certs";
    fs::create_directories(certificates);
    REQUIRE(pki::ensure_authority(certificates, "test"));
    REQUIRE(pki::ensure_certificate(certificates, "all", {"127.0.0.1"}));
    tls.certificate = (certificates / "all.pem").string();
    tls.key = (certificates / "all.key").string();
    authority = (certificates / "ca.pem").string();
    fs::create_directories(folder_ / "work here");
    fs::current_path(folder_ / "work here");
    PagesConfig pages;
    pages.service.plain = {{"127.0.0.1", 0}};
    pages.service.tls = {{"127.0.0.1", 0}};
    pages.service.certificate = tls;
    back_end_ = pages::Service::start(pages).value();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { fs::current_path(before_); }

  Endpoint back_end(bool secure) const {
    const auto address = net::Address::parse(back_end_->listening().at(secure ? 1 : 0).substr(secure ? 8 : 7)).value();
    return {"127.0.0.1", address.port()};
  }
  std::uint64_t pages() const { return back_end_->totals().pages; }

  GatewayConfig config(Software software) const {
    GatewayConfig config;
    config.software = software;
    config.service.plain = {{"127.0.0.1", free_port()}};
    config.service.tls = {{"127.0.0.1", free_port()}};
    config.service.certificate = tls;
    config.logs.request = (folder_ / "request.log").string();
    Junction plain{"/app", JunctionType::tcp, {back_end(false)}};
    Junction secure{"/secure", JunctionType::ssl, {back_end(true)}};
    secure.server_ca = authority;
    Junction straight{"/page", JunctionType::tcp, {back_end(false)}};
    straight.transparent = true;
    config.junctions = {plain, secure, straight};
    return config;
  }
  fs::path log() const { return folder_ / "request.log"; }

  TlsServer tls;
  std::string authority;

 private:
  TemporaryFolder folder_;
  fs::path before_;
  std::unique_ptr<pages::Service> back_end_;
};

std::string get(const std::string& url, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{"curl", "-sk", "--max-time", "10", "-w", "\n%{http_code}", url};
  command.insert(command.end(), more.begin(), more.end());
  return peers::output_of(command, Clock::now() + 15s);
}

std::int64_t number(const boost::json::value& value, const char* key) { return value.at(key).to_number<std::int64_t>(); }

}  // namespace

TEST_CASE("nginx and HAProxy serve the gateway's junctions, and their counts, logs and back end agree") {
  for (const Software software : {Software::nginx, Software::haproxy}) {
    CAPTURE(to_string(software));
    const Bench bench;
    const GatewayConfig config = bench.config(software);
    auto gateway = peers::PeerGateway::start(config, Clock::now() + 20s);
    REQUIRE(gateway);
    const std::string http = (*gateway)->listening().at(0), https = (*gateway)->listening().at(1);
    CHECK(get(http + "/app/page/100B").size() == 104);
    CHECK(get(https + "/app/page/100B").size() == 104);
    CHECK(get(http + "/secure/page/100B").size() == 104);
    CHECK(get(http + "/page/100B").size() == 104);
    CHECK(get(http + "/nowhere").ends_with("\n404"));
    CHECK(bench.pages() == 4);
    const std::string echo = get(http + "/app/echo", {"-H", "iv-user: admin", "-H", "iv-groups: \"all\"", "-H", "kept: yes"});
    CHECK(echo.find("\"path\":\"/echo\"") != std::string::npos);
    CHECK(echo.find("admin") == std::string::npos);
    CHECK(echo.find("iv-groups") == std::string::npos);
    CHECK(echo.find("kept") != std::string::npos);

    const auto flushed = (*gateway)->control("logs.flush");
    REQUIRE(flushed);
    CHECK(number(*flushed, "lines") == 6);
    const auto stats = (*gateway)->control("stats");
    REQUIRE(stats);
    CHECK(number(*stats, "requests") == 6);
    CHECK(number(stats->at("responses"), "any") == 6);
    CHECK(number(*stats, "retries") == 0);
    CHECK(read_file(bench.log()).find("\"GET /app/page/100B HTTP/1.1\" 200") != std::string::npos);
    CHECK((*gateway)->control("ping"));
    CHECK_FALSE((*gateway)->control("no.such"));
    CHECK((*gateway)->check_running());
  }
}

TEST_CASE("a junction's server that the authority did not sign is not used") {
  for (const Software software : {Software::nginx, Software::haproxy}) {
    CAPTURE(to_string(software));
    const Bench bench, other;
    fs::current_path(fs::path(bench.log()).parent_path());
    GatewayConfig config = bench.config(software);
    config.junctions[1].server_ca = other.authority;
    auto gateway = peers::PeerGateway::start(config, Clock::now() + 20s);
    REQUIRE(gateway);
    const std::string answer = get((*gateway)->listening().at(0) + "/secure/page/100B");
    CHECK((answer.ends_with("502") || answer.ends_with("503")));
    CHECK(bench.pages() == 0);
  }
}

TEST_CASE("TLS versions and ciphers are as configured") {
  for (const Software software : {Software::nginx, Software::haproxy}) {
    CAPTURE(to_string(software));
    const Bench bench;
    GatewayConfig config = bench.config(software);
    config.service.certificate.max = TlsVersion::tls1_2;
    config.service.certificate.ciphers = "AES128-SHA";
    auto gateway = peers::PeerGateway::start(config, Clock::now() + 20s);
    REQUIRE(gateway);
    const std::string url = (*gateway)->listening().at(1) + "/app/page/100B";
    CHECK(get(url, {"--tls-max", "1.2", "--ciphers", "AES128-SHA"}).ends_with("\n200"));
    CHECK_FALSE(get(url, {"--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"}).ends_with("\n200"));
    CHECK_FALSE(get(url, {"--tlsv1.3"}).ends_with("\n200"));
  }
}

TEST_CASE("without a log nothing is written, and the count is the program's own") {
  for (const Software software : {Software::nginx, Software::haproxy}) {
    CAPTURE(to_string(software));
    const Bench bench;
    GatewayConfig config = bench.config(software);
    config.logs = {"/dev/null", "/dev/null", "/dev/null"};
    auto gateway = peers::PeerGateway::start(config, Clock::now() + 20s);
    REQUIRE(gateway);
    CHECK(get((*gateway)->listening().at(0) + "/app/page/100B").ends_with("\n200"));
    CHECK(number((*gateway)->control("logs.flush").value(), "lines") == 1);
    CHECK_FALSE(fs::exists(bench.log()));
  }
}

TEST_CASE("what others cannot do is refused, not left out") {
  GatewayConfig config;
  config.software = Software::nginx;
  config.junctions = {{"/app", JunctionType::tcp, {{"127.0.0.1", 1}}}};
  CHECK(peers::check_peer(config));
  const auto refused = [](GatewayConfig one) {
    const auto checked = peers::check_peer(one);
    return checked ? std::string() : checked.error().what;
  };
  GatewayConfig other = config;
  other.junctions[0].identity.user = true;
  CHECK(refused(other) == "kind nginx sends no identity headers (junction /app)");
  other = config;
  other.junctions[0].type = JunctionType::local;
  CHECK(refused(other) == "kind nginx has no local junction (/app)");
  other = config;
  other.access = {{"/app", AccessRule::Who::authenticated, {}, {}}};
  CHECK(refused(other) == "kind nginx asks no directory who a user is, so that everybody is let in");
  other.software = Software::haproxy;
  other.access.clear();
  other.directory.url = "ldap://127.0.0.1:1";
  CHECK(refused(other) == "kind haproxy asks no directory who a user is, so that everybody is let in");
}

TEST_CASE("names that a program's configuration cannot hold are errors, not configuration") {
  GatewayConfig config;
  config.logs.request = "/logs/a'b $x\nc";
  CHECK_FALSE(peers::make_nginx()->files(config));
  config.junctions = {{"/it's", JunctionType::tcp, {{"127.0.0.1", 1}}}};
  CHECK_FALSE(peers::make_haproxy()->files(config));
}

TEST_CASE("what the programs say of themselves is read, and what is not that is told") {
  const auto nginx = peers::make_nginx();
  CHECK(nginx->counters("HTTP/1.1 200 OK\r\n\r\nActive connections: 1 \nserver accepts handled requests\n 7 7 12 \nReading: 0", 2)
            ->requests == 10);
  CHECK_FALSE(nginx->counters("HTTP/1.1 404 Not Found\r\n\r\n", 1));
  const auto haproxy = peers::make_haproxy();
  const std::string csv = "# pxname,svname,req_tot,wretr,wredis,\ngateway,FRONTEND,9,,,\njunction0,s0,,1,0,\njunction0,BACKEND,,1,2,\n";
  CHECK(haproxy->counters(csv, 1)->requests == 9);
  CHECK(haproxy->counters(csv, 1)->retries == 3);
  CHECK_FALSE(haproxy->counters("# pxname,svname,\n", 1));
}

TEST_CASE("a program that does not start is an error that says how it ended") {
  const Bench bench;
  GatewayConfig config = bench.config(Software::nginx);
  config.service.certificate.certificate = "/nowhere.pem";
  const auto gateway = peers::PeerGateway::start(config, Clock::now() + 20s);
  REQUIRE(!gateway);
  CHECK(gateway.error().what == "nginx ended with exit code 1");
}

TEST_CASE("a child's end is seen, its output read, and a missing program is named with its remedy") {
  CHECK(peers::output_of({"echo", "said"}, Clock::now() + 5s) == "said\n");
  CHECK(peers::output_of({"sh", "-c", "echo said; exit 3"}, Clock::now() + 5s) == "");
  CHECK(peers::Child::start({"no-such-program"}).error().what == "no-such-program is not installed here");
  auto child = peers::Child::start({"sleep", "1000"});
  REQUIRE(child);
  CHECK_FALSE(child->reap());
  child->stop(SIGTERM, Clock::now() + 5s);
  CHECK(child->reap() == 128 + SIGTERM);
}

TEST_CASE("the newest PostgreSQL is taken") {
  const TemporaryFolder folder;
  CHECK_FALSE(peers::postgresql_programs(folder.path()));
  for (const char* version : {"9", "15", "13"}) {
    fs::create_directories(folder / version / "bin");
    std::ofstream(folder / version / "bin" / "postgres") << "#!/bin/sh\n";
    fs::permissions(folder / version / "bin" / "postgres", fs::perms::owner_all);
  }
  CHECK(peers::postgresql_programs(folder.path()) == folder / "15" / "bin");
}
