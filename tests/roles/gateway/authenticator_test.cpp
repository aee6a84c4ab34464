#include "roles/gateway/authenticator.hpp"

#include "ldap_peer.hpp"
#include "pki/pki.hpp"
#include "roles/directory/service.hpp"
#include "roles/gateway/authenticator_pool.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

using namespace lab;
using gateway::Authenticator;
using gateway::Login;
using Outcome = Login::Outcome;

namespace {

template <class T>
T in_time(std::future<T> future) {
  if (future.wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
    throw std::runtime_error("no answer in 30 s");
  }
  return future.get();
}

// A loop on a thread of its own, with what lives on it.
template <class Guest>
class OnLoop {
 public:
  template <class Make>
  explicit OnLoop(Make make) : guest_(make(loop_)), thread_([this] { loop_.run(); }) {}
  ~OnLoop() {
    loop_.post([this] {
      guest_.reset();
      loop_.stop();
    });
    thread_.join();
  }
  OnLoop(const OnLoop&) = delete;
  OnLoop& operator=(const OnLoop&) = delete;

  template <class Task>
  void post(Task task) {
    loop_.post([this, task] { task(*guest_, loop_); });
  }

 private:
  net::Loop loop_;
  std::unique_ptr<Guest> guest_;
  std::thread thread_;
};

class Gateway {
 public:
  explicit Gateway(const DirectoryClient& settings)
      : on_loop_([&](net::Loop& loop) { return std::move(Authenticator::create(loop, settings).value()); }) {}

  std::future<Login> begin(const std::string& user, const std::string& password) {
    auto promise = std::make_shared<std::promise<Login>>();
    on_loop_.post([=](Authenticator& authenticator, net::Loop&) {
      authenticator.authenticate(user, password, [promise](Login login) { promise->set_value(std::move(login)); });
    });
    return promise->get_future();
  }
  Login login(const std::string& user, const std::string& password) { return in_time(begin(user, password)); }

 private:
  OnLoop<Authenticator> on_loop_;
};

DirectoryConfig directory_config(std::uint16_t port = 0) {
  DirectoryConfig config;
  config.service.plain = {{"127.0.0.1", port}};
  config.users = 100;
  return config;
}

DirectoryClient client_of(const std::string& url, int connections = 4) {
  DirectoryClient client;
  client.url = url;
  client.connections = connections;
  return client;
}

// Accepts connections, each served by the script on a thread of its own; `number` counts from 1.
class ScriptedServer {
 public:
  using Script = std::function<void(int number, LdapPeer& client)>;

  explicit ScriptedServer(Script script)
      : script_(std::move(script)),
        listener_(std::move(*net::listen_tcp(net::Address::parse("127.0.0.1:0").value(), false))),
        thread_([this] { accept_all(); }) {}
  ~ScriptedServer() {
    stopping_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    for (std::thread& one : clients_) {
      one.join();
    }
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "ldap://" + net::Address::local_of(listener_.get()).text(); }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    while (!stopping_) {
      pollfd waiting{listener_.get(), POLLIN, 0};
      poll(&waiting, 1, 20'000);
      net::Fd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket) {
        clients_.emplace_back(
            [this, number = ++connections_, client = std::make_shared<LdapPeer>(std::move(socket))] { script_(number, *client); });
      }
    }
  }

  Script script_;
  net::Fd listener_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::vector<std::thread> clients_;
  std::thread thread_;
};

// Answers as a directory would in which user1's password is "right"; other binds get `bind_code`.
void answer(LdapPeer& client, const ldap::Message& request, ldap::ResultCode bind_code = ldap::ResultCode::invalid_credentials) {
  if (const auto* bind = std::get_if<ldap::BindRequest>(&request.operation)) {
    const auto code = bind->password == "right" ? ldap::ResultCode::success : bind_code;
    client.send({request.id, ldap::Response{ldap::op::kBindResponse, {code, {}, "scripted"}, {}, {}}, {}});
    return;
  }
  const auto& search = std::get<ldap::SearchRequest>(request.operation);
  if (search.attributes.front() == "uid") {
    client.send({request.id, ldap::SearchEntry{"uid=user1,ou=people,dc=lab", {{"uid", {"user1"}}}}, {}});
  }
  client.send({request.id, ldap::Response{ldap::op::kSearchDone, {}, {}, {}}, {}});
}

void answer_all(LdapPeer& client, ldap::ResultCode bind_code = ldap::ResultCode::invalid_credentials) {
  while (const auto request = client.receive()) {
    answer(client, *request, bind_code);
  }
}

}  // namespace

TEST_CASE("a login finds the user, binds as it and reports the directory's spelling and groups") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  Gateway gateway(client_of(directory->listening().front()));
  const Login login = gateway.login("USER000017", "secret000017");
  CHECK(login.outcome == Outcome::granted);
  CHECK(login.user == "user000017");
  CHECK(login.groups == std::vector<std::string>{"group7"});
}

TEST_CASE("a wrong password and an unknown user are refused, and the next login is not hurt") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  Gateway gateway(client_of(directory->listening().front()));
  CHECK(gateway.login("user000001", "wrong").outcome == Outcome::refused);
  CHECK(gateway.login("nobody", "secret000001").outcome == Outcome::refused);
  CHECK(gateway.login("user000001", "secret000001").outcome == Outcome::granted);
}

TEST_CASE("an empty user or password is refused without asking") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  Gateway gateway(client_of(directory->listening().front()));
  CHECK(gateway.login("user000001", "").outcome == Outcome::refused);
  CHECK(gateway.login("", "secret000001").outcome == Outcome::refused);
  CHECK(directory->totals().connections == 0);
}

TEST_CASE("a user name cannot reach into the search") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  Gateway gateway(client_of(directory->listening().front()));
  for (const char* user : {"*", "user00000*", "user000001)(uid=*", "*)(objectClass=*", "\\2a", "user000001,ou=people,dc=lab"}) {
    CHECK(gateway.login(user, "secret000001").outcome == Outcome::refused);
  }
}

TEST_CASE("a busy pool queues, and every login is a real bind on a kept connection") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  Gateway gateway(client_of(directory->listening().front(), 1));
  std::vector<std::future<Login>> logins;
  for (int i = 0; i < 50; ++i) {
    logins.push_back(gateway.begin("user000002", i % 2 == 0 ? "secret000002" : "wrong"));
  }
  for (int i = 0; i < 50; ++i) {
    CHECK(in_time(std::move(logins[static_cast<std::size_t>(i)])).outcome == (i % 2 == 0 ? Outcome::granted : Outcome::refused));
  }
  const directory::Totals totals = directory->totals();
  CHECK(totals.connections == 2);  // one to search, one to bind
  CHECK(totals.binds == 50);
  CHECK(totals.searches == 75);
}

TEST_CASE("a directory that was restarted is found again") {
  auto directory = std::move(directory::Service::start(directory_config()).value());
  const std::string url = directory->listening().front();
  Gateway gateway(client_of(url));
  REQUIRE(gateway.login("user000001", "secret000001").outcome == Outcome::granted);
  directory->drain(std::chrono::seconds(5));
  directory.reset();
  directory = std::move(directory::Service::start(directory_config(net::Address::parse(url.substr(7)).value().port())).value());
  CHECK(gateway.login("user000001", "secret000001").outcome == Outcome::granted);
  CHECK(gateway.login("user000001", "wrong").outcome == Outcome::refused);
}

TEST_CASE("a stale kept connection is asked again once on a fresh one") {
  ScriptedServer server([](int number, LdapPeer& client) {
    if (number > 2) {
      return answer_all(client);
    }
    for (int i = 0; i < (number == 1 ? 2 : 1); ++i) {  // a whole login, and then nothing more
      answer(client, *client.receive());
    }
    client.receive();
  });
  Gateway gateway(client_of(server.url()));
  CHECK(gateway.login("user1", "right").outcome == Outcome::granted);
  CHECK(gateway.login("user1", "right").outcome == Outcome::granted);
  CHECK(gateway.login("user1", "wrong").outcome == Outcome::refused);
  CHECK(server.connections() == 4);
}

TEST_CASE("a notice of disconnection in place of an answer is taken as a stale connection") {
  ScriptedServer server([](int number, LdapPeer& client) {
    if (number != 1) {
      return answer_all(client);
    }
    answer(client, *client.receive());
    answer(client, *client.receive());
    client.receive();
    client.send(
        {0,
         ldap::Response{
             ldap::op::kExtendedResponse, {ldap::ResultCode::unavailable, {}, "bye"}, std::string(ldap::kNoticeOfDisconnection), {}},
         {}});
  });
  Gateway gateway(client_of(server.url()));
  CHECK(gateway.login("user1", "right").outcome == Outcome::granted);
  CHECK(gateway.login("user1", "right").outcome == Outcome::granted);
}

TEST_CASE("a directory that hangs up on fresh connections is unavailable, and asked once only") {
  ScriptedServer server([](int, LdapPeer& client) { client.receive(); });
  Gateway gateway(client_of(server.url()));
  const Login login = gateway.login("user1", "right");
  CHECK(login.outcome == Outcome::unavailable);
  CHECK(login.why == "the directory closed the connection (" + server.url() + ")");
  CHECK(server.connections() == 1);
}

TEST_CASE("a directory that is not there is unavailable, not a wrong password") {
  std::string url;
  {
    url = ScriptedServer([](int, LdapPeer&) {}).url();
  }
  Gateway gateway(client_of(url));
  const Login login = gateway.login("user1", "right");
  CHECK(login.outcome == Outcome::unavailable);
  CHECK(login.why == "connecting to the directory: Connection refused (" + url + ")");
}

TEST_CASE("a directory that is busy is unavailable, not a wrong password") {
  ScriptedServer server([](int, LdapPeer& client) { answer_all(client, ldap::ResultCode::busy); });
  Gateway gateway(client_of(server.url()));
  const Login login = gateway.login("user1", "wrong");
  CHECK(login.outcome == Outcome::unavailable);
  CHECK(login.why == "the directory answers a bind with code 51: scripted");
}

TEST_CASE("what is no LDAP is unavailable") {
  ScriptedServer server([](int, LdapPeer& client) {
    client.receive();
    client.send_bytes("HTTP/1.1 400 Bad Request\r\n\r\n");
    client.receive();
  });
  Gateway gateway(client_of(server.url()));
  CHECK(gateway.login("user1", "right").outcome == Outcome::unavailable);
}

TEST_CASE("a people's base that the directory lacks is unavailable, one for groups means none") {
  const auto directory = std::move(directory::Service::start(directory_config()).value());
  DirectoryClient client = client_of(directory->listening().front());
  client.groups = "ou=nothing,dc=lab";
  CHECK(Gateway(client).login("user000001", "secret000001").groups.empty());
  client.people = "ou=nobody,dc=lab";
  const Login login = Gateway(client).login("user000001", "secret000001");
  CHECK(login.outcome == Outcome::unavailable);
  CHECK(login.why == "the directory answers the search for a user with code 32");
}

TEST_CASE("logins go over LDAPS when the directory's certificate is the authority's") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "test"));
  REQUIRE(pki::ensure_certificate(folder.path(), "directory", {"localhost", "127.0.0.1"}));
  DirectoryConfig config = directory_config();
  std::swap(config.service.plain, config.service.tls);
  config.service.certificate.certificate = folder / "directory.pem";
  config.service.certificate.key = folder / "directory.key";
  const auto directory = std::move(directory::Service::start(config).value());
  DirectoryClient client = client_of(directory->listening().front());
  SECTION("its own authority") {
    client.ca = folder / "ca.pem";
    Gateway gateway(client);
    CHECK(gateway.login("user000001", "secret000001").outcome == Outcome::granted);
    CHECK(gateway.login("user000001", "wrong").outcome == Outcome::refused);
  }
  SECTION("another authority") {
    const TemporaryFolder other;
    REQUIRE(pki::ensure_authority(other.path(), "other"));
    client.ca = other / "ca.pem";
    const Login login = Gateway(client).login("user000001", "secret000001");
    CHECK(login.outcome == Outcome::unavailable);
    CHECK(login.why.starts_with("TLS with the directory: "));
  }
}

TEST_CASE("logins go over StartTLS, and nothing is asked where it is refused") {
  const TemporaryFolder folder;
  REQUIRE(pki::ensure_authority(folder.path(), "test"));
  REQUIRE(pki::ensure_certificate(folder.path(), "directory", {"localhost", "127.0.0.1"}));
  DirectoryConfig config = directory_config();
  config.service.certificate.certificate = folder / "directory.pem";
  config.service.certificate.key = folder / "directory.key";
  SECTION("offered") {
    const auto directory = std::move(directory::Service::start(config).value());
    DirectoryClient client = client_of(directory->listening().front());
    client.start_tls = true;
    client.ca = folder / "ca.pem";
    Gateway gateway(client);
    CHECK(gateway.login("user000001", "secret000001").outcome == Outcome::granted);
    CHECK(gateway.login("user000001", "wrong").outcome == Outcome::refused);
  }
  SECTION("by another authority") {
    const auto directory = std::move(directory::Service::start(config).value());
    const TemporaryFolder other;
    REQUIRE(pki::ensure_authority(other.path(), "other"));
    DirectoryClient client = client_of(directory->listening().front());
    client.start_tls = true;
    client.ca = other / "ca.pem";
    const Login login = Gateway(client).login("user000001", "secret000001");
    CHECK(login.outcome == Outcome::unavailable);
    CHECK(login.why.starts_with("TLS with the directory: "));
  }
  SECTION("not offered") {
    const auto directory = std::move(directory::Service::start(directory_config()).value());
    DirectoryClient client = client_of(directory->listening().front());
    client.start_tls = true;
    client.ca = folder / "ca.pem";
    const Login login = Gateway(client).login("user000001", "secret000001");
    CHECK(login.outcome == Outcome::unavailable);
    CHECK(login.why.starts_with("the directory refuses StartTLS: unsupported extended operation"));
    CHECK(directory->totals().searches == 0);
  }
}

TEST_CASE("addresses that are no directory are errors with a remedy") {
  net::Loop loop;
  for (const char* url : {"", "http://127.0.0.1", "ldap://", "ldap://127.0.0.1:x", "ldap://127.0.0.1:0", "ldap://127.0.0.1/dc=lab"}) {
    const auto created = Authenticator::create(loop, client_of(url));
    REQUIRE_FALSE(created.has_value());
    CHECK(created.error().remedy == "write ldap://HOST:PORT or ldaps://HOST:PORT");
  }
}

TEST_CASE("a directory that does not answer, and a queue that does not move, end at their deadlines") {
  ScriptedServer server([](int, LdapPeer& client) {
    while (client.receive()) {
    }
  });
  const gateway::DirectoryServer address{server.url(), "127.0.0.1", net::Address::parse(server.url().substr(7)).value(), nullptr};
  OnLoop<gateway::DirectoryPool> pool([&](net::Loop& loop) { return std::make_unique<gateway::DirectoryPool>(loop, address, 1); });
  std::promise<std::string> silent, queued;
  pool.post([&](gateway::DirectoryPool& asked, net::Loop& loop) {
    asked.ask({ldap::BindRequest{}, loop.now() + 200'000'000,
               [&](Result<gateway::DirectoryReply> reply) { silent.set_value(reply.error().what); }, false});
    asked.ask({ldap::BindRequest{}, loop.now() + 20'000'000,
               [&](Result<gateway::DirectoryReply> reply) { queued.set_value(reply.error().what); }, false});
  });
  CHECK(in_time(queued.get_future()) == "all connections to the directory are busy");
  CHECK(in_time(silent.get_future()) == "the directory does not answer in time");
}
