#include "roles/directory/service.hpp"

#include "ldap_peer.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace std::string_literals;
using namespace lab;
using ldap::ResultCode;

namespace {

DirectoryConfig config_of(unsigned users, int threads = 1) {
  DirectoryConfig config;
  config.service.plain = {{"127.0.0.1", 0}};
  config.service.threads = threads;
  config.users = users;
  return config;
}

struct Directory {
  explicit Directory(unsigned users = 20, int threads = 1)
      : service(std::move(directory::Service::start(config_of(users, threads)).value())) {}
  LdapPeer client() const { return LdapPeer::connect(service->listening().front()); }
  std::unique_ptr<directory::Service> service;
};

ldap::Message bind_of(int id, const std::string& password = "secret000001") {
  return {id, ldap::BindRequest{3, "uid=user000001,ou=people,dc=lab", password, {}}, {}};
}

ldap::Message search_of(int id, const std::string& filter) {
  return {id, ldap::SearchRequest{"dc=lab", ldap::Scope::subtree, 0, 0, 0, false, ldap::parse_filter(filter).value(), {}}, {}};
}

std::string bytes_of(const std::vector<ldap::Message>& messages) {
  std::string bytes;
  for (const ldap::Message& message : messages) {
    ldap::encode(bytes, message);
  }
  return bytes;
}

void check_notice(LdapPeer& client, ResultCode code) {
  const auto notice = client.receive();
  REQUIRE(notice.has_value());
  CHECK(notice->id == 0);
  CHECK(std::get<ldap::Response>(notice->operation).oid == ldap::kNoticeOfDisconnection);
  CHECK(std::get<ldap::Response>(notice->operation).outcome.code == code);
  CHECK_FALSE(client.receive().has_value());
}

}  // namespace

TEST_CASE("messages that arrive a byte at a time are read") {  // psopenad 40
  Directory directory;
  LdapPeer client = directory.client();
  for (const char byte : bytes_of({bind_of(1), search_of(2, "(uid=user000001)")})) {
    client.send_bytes({&byte, 1});
  }
  CHECK(client.response().outcome.code == ResultCode::success);
  CHECK(std::get<ldap::SearchEntry>(client.receive()->operation).dn == "uid=user000001,ou=people,dc=lab");
  CHECK(client.response().tag == ldap::op::kSearchDone);
}

TEST_CASE("pipelined requests are answered in order") {
  Directory directory;
  LdapPeer client = directory.client();
  std::vector<ldap::Message> requests;
  for (int id = 1; id <= 300; ++id) {
    requests.push_back(id % 2 == 0 ? bind_of(id) : bind_of(id, "wrong"));
  }
  client.send_bytes(bytes_of(requests));
  for (int id = 1; id <= 300; ++id) {
    const auto answer = client.receive();
    REQUIRE(answer.has_value());
    CHECK(answer->id == id);
    CHECK(std::get<ldap::Response>(answer->operation).outcome.code ==
          (id % 2 == 0 ? ResultCode::success : ResultCode::invalid_credentials));
  }
  const directory::Totals totals = directory.service->totals();
  CHECK(totals.binds == 300);
  CHECK(totals.results == std::map<int, std::uint64_t>{{0, 150}, {49, 150}});
}

TEST_CASE("unbind closes the connection, after what came before it is answered") {
  Directory directory;
  LdapPeer client = directory.client();
  client.send_bytes(bytes_of({bind_of(1), {2, ldap::UnbindRequest{}, {}}, bind_of(3)}));
  CHECK(client.response().outcome.code == ResultCode::success);
  CHECK_FALSE(client.receive().has_value());
}

TEST_CASE("what is no LDAP gets a notice of disconnection and the end") {
  Directory directory;
  for (const std::string& bytes :
       {"GET / HTTP/1.1\r\n\r\n"s, "\x30\x84\x7f\xff\xff\xff"s, "\x30\x03\x02\x01\x01"s, "\x16\x03\x01\x02\x00\x01"s}) {
    LdapPeer client = directory.client();
    client.send_bytes(bytes);
    check_notice(client, ResultCode::protocol_error);
  }
  LdapPeer client = directory.client();
  client.send(bind_of(1));
  CHECK(client.response().outcome.code == ResultCode::success);
}

TEST_CASE("random bytes and mutated requests hurt nobody else") {
  Directory directory;
  std::mt19937 random(42);
  const std::string good = bytes_of({bind_of(1), search_of(2, "(&(uid=user000001)(!(cn=*x*)))")});
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    directory.client().send_bytes(bytes);
  }
  LdapPeer client = directory.client();
  client.send(bind_of(1));
  CHECK(client.response().outcome.code == ResultCode::success);
}

TEST_CASE("a large answer waits for a client that does not read, and others are served meanwhile") {  // lldap 1474
  Directory directory(20'000);
  LdapPeer slow = directory.client();
  for (int id = 1; id <= 5; ++id) {
    slow.send(search_of(id, "(objectClass=*)"));
  }
  LdapPeer other = directory.client();
  for (int id = 1; id <= 20; ++id) {
    other.send(bind_of(id));
    CHECK(other.response().outcome.code == ResultCode::success);
  }
  for (int id = 1; id <= 5; ++id) {
    std::size_t entries = 0;
    auto message = slow.receive();
    for (; message && std::holds_alternative<ldap::SearchEntry>(message->operation); message = slow.receive()) {
      ++entries;
    }
    CHECK(entries == 20'013);
    REQUIRE(message.has_value());
    CHECK(std::get<ldap::Response>(message->operation).outcome.code == ResultCode::success);
  }
}

TEST_CASE("several threads serve one address") {
  Directory directory(20, 4);
  std::vector<LdapPeer> clients;
  for (int i = 0; i < 32; ++i) {
    clients.push_back(directory.client());
    clients.back().send(bind_of(1));
  }
  for (LdapPeer& client : clients) {
    CHECK(client.response().outcome.code == ResultCode::success);
  }
  CHECK(directory.service->totals().binds == 32);
}

TEST_CASE("draining answers what was asked, tells the clients and closes") {
  Directory directory(20, 2);
  LdapPeer idle = directory.client();
  idle.send(bind_of(1));
  CHECK(idle.response().outcome.code == ResultCode::success);
  directory.service->drain(std::chrono::seconds(10));
  check_notice(idle, ResultCode::unavailable);
}

TEST_CASE("an address in use is an error that names it, with a remedy") {
  Directory directory;
  DirectoryConfig config = config_of(1, 2);
  config.service.plain = {{"127.0.0.1", net::Address::parse(directory.service->listening().front().substr(7))->port()}};
  const auto second = directory::Service::start(config);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().what == "cannot listen on " + directory.service->listening().front().substr(7) + ": Address already in use");
  CHECK_FALSE(second.error().remedy.empty());
}

TEST_CASE("a thousand users are made and served within a moment") {
  const auto before = std::chrono::steady_clock::now();
  const Directory directory(1000);
  CHECK(directory.service->entries() == 1013);
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(5));  // some milliseconds; sanitizers take longer
}

TEST_CASE("one that hangs and one that is slow hold nobody else up, and what changes live counts for what comes") {  // lldap 1474
  DirectoryConfig config = config_of(20);
  Fault hang;
  hang.dn = "uid=user000001,*";
  hang.answer = Fault::Answer::hang;
  Fault slow;
  slow.dn = "uid=user000002,*";
  slow.latency = std::chrono::milliseconds(50);
  config.faults = {hang, slow};
  const auto service = std::move(directory::Service::start(config).value());
  const auto connect = [&service] { return LdapPeer::connect(service->listening().front()); };
  LdapPeer stuck = connect(), late = connect(), other = connect();
  stuck.send(bind_of(1));
  late.send({1, ldap::BindRequest{3, "uid=user000002,ou=people,dc=lab", "secret000002", {}, {}}, {}});
  other.send({1, ldap::BindRequest{3, "uid=user000003,ou=people,dc=lab", "secret000003", {}, {}}, {}});
  CHECK(other.response().outcome.code == ResultCode::success);
  CHECK(late.response().outcome.code == ResultCode::success);
  stuck.send({2, ldap::AbandonRequest{1}, {}});
  service->set_faults({});
  stuck.send(search_of(3, "(uid=user000004)"));
  CHECK(std::get<ldap::SearchEntry>(stuck.receive()->operation).dn == "uid=user000004,ou=people,dc=lab");
}

TEST_CASE("a dropped connection ends without a word") {
  DirectoryConfig config = config_of(20);
  Fault drop;
  drop.answer = Fault::Answer::drop;
  drop.operations = {Fault::Operation::bind};
  config.faults = {drop};
  const auto service = std::move(directory::Service::start(config).value());
  LdapPeer client = LdapPeer::connect(service->listening().front());
  client.send(search_of(1, "(uid=user000004)"));
  CHECK(client.receive().has_value());
  CHECK(client.response().outcome.code == ResultCode::success);
  client.send(bind_of(2));
  CHECK_FALSE(client.receive().has_value());
}

TEST_CASE("a search whose client does not read is abandoned when the client says so") {
  Directory directory(20'000);
  LdapPeer client = directory.client();
  client.send_bytes(bytes_of({search_of(1, "(objectClass=*)"), {2, ldap::AbandonRequest{1}, {}}, bind_of(3)}));
  std::size_t entries = 0;
  for (;;) {
    const auto message = client.receive();
    REQUIRE(message.has_value());
    if (message->id == 3) {
      CHECK(std::get<ldap::Response>(message->operation).outcome.code == ResultCode::success);
      break;
    }
    CHECK(std::holds_alternative<ldap::SearchEntry>(message->operation));  // never its result
    ++entries;
  }
  CHECK(entries < 20'013);
}

TEST_CASE("connections above the limit are told that the directory is busy") {
  DirectoryConfig config = config_of(5);
  config.connections = 2;
  const auto service = std::move(directory::Service::start(config).value());
  const std::string& url = service->listening().front();
  LdapPeer first = LdapPeer::connect(url), second = LdapPeer::connect(url);
  first.send(bind_of(1));
  second.send(bind_of(1));
  CHECK(first.response().outcome.code == ResultCode::success);
  CHECK(second.response().outcome.code == ResultCode::success);
  LdapPeer third = LdapPeer::connect(url);
  check_notice(third, ResultCode::busy);
}
