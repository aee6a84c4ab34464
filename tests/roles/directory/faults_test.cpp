#include "session_client.hpp"

#include <numeric>

using namespace lab;
using namespace lab::directory;
using namespace session_client;
using std::chrono::milliseconds;

namespace {

void set(Faults& faults, std::vector<Fault> list) { faults.set(std::make_shared<const std::vector<Fault>>(std::move(list))); }

const ldap::BindRequest kAnn{3, "uid=ann,ou=people,dc=lab", "secret", {}, {}};

Session::Next send(Client& client, const ldap::Operation& operation, std::string& out) {
  std::string request;
  ldap::encode(request, {4, operation, {}});
  return client.session().handle(request, out, 0);
}

ResultCode code_of(const std::string& out) { return std::get<ldap::Response>(ldap::decode(out)->operation).outcome.code; }

}  // namespace

TEST_CASE("a fault is for the operations, names and threads that it says") {
  Faults faults(1);
  Fault fault;
  fault.operations = {Fault::Operation::bind};
  fault.dn = "UID=a*,ou=people,dc=lab";
  fault.answer = Fault::Answer::busy;
  set(faults, {fault});
  CHECK(faults.judge(Fault::Operation::bind, "uid=ann,ou=people,dc=lab").answer == Fault::Answer::busy);
  CHECK(faults.judge(Fault::Operation::bind, "uid=bob,ou=people,dc=lab").answer == Fault::Answer::usual);
  CHECK(faults.judge(Fault::Operation::search, "uid=ann,ou=people,dc=lab").answer == Fault::Answer::usual);
  fault.thread = 0;
  set(faults, {fault});
  CHECK(faults.judge(Fault::Operation::bind, "uid=ann,ou=people,dc=lab").answer == Fault::Answer::usual);
}

TEST_CASE("a fault hits the share of the operations that it says") {
  Faults faults(0);
  Fault fault;
  fault.rate = 0.25;
  fault.answer = Fault::Answer::unavailable;
  set(faults, {fault});
  int hit = 0;
  for (int i = 0; i < 10'000; ++i) {
    hit += faults.judge(Fault::Operation::search, "").answer == Fault::Answer::unavailable ? 1 : 0;
  }
  CHECK(hit > 2300);
  CHECK(hit < 2700);
}

TEST_CASE("latencies follow their distribution") {
  Faults faults(0);
  Fault fault;
  fault.latency = milliseconds(10);
  const auto draw = [&faults, &fault] {
    set(faults, {fault});
    std::vector<double> ms(10'001);
    std::generate(ms.begin(), ms.end(), [&] { return static_cast<double>(faults.judge(Fault::Operation::bind, "").delay_ns) / 1e6; });
    std::sort(ms.begin(), ms.end());
    return ms;
  };
  CHECK(draw().front() == 10);
  CHECK(draw().back() == 10);
  fault.distribution = Fault::Distribution::uniform;
  fault.latency_high = milliseconds(30);
  CHECK(draw().front() >= 10);
  CHECK(draw().back() <= 30);
  CHECK(draw()[5'000] == Approx(20).epsilon(0.05));
  fault.distribution = Fault::Distribution::exponential;
  const std::vector<double> exponential = draw();
  CHECK(std::accumulate(exponential.begin(), exponential.end(), 0.0) / 10'001 == Approx(10).epsilon(0.05));
  fault.distribution = Fault::Distribution::log_normal;
  CHECK(draw()[5'000] == Approx(10).epsilon(0.05));
  CHECK(draw()[9'900] == Approx(30).epsilon(0.1));
}

TEST_CASE("failures answer as they should once their latency is over") {
  Client client;
  Fault fault;
  fault.latency = milliseconds(5);
  fault.answer = Fault::Answer::busy;
  set(client.faults_, {fault});
  std::string out;
  REQUIRE(send(client, kAnn, out) == Session::Next::pause);
  CHECK(client.session().pause_ns() == 5'000'000);
  CHECK(out.empty());
  CHECK(client.session().resume(out, 0) == Session::Next::request);
  CHECK(code_of(out) == ResultCode::busy);
  fault.answer = Fault::Answer::drop;
  set(client.faults_, {fault});
  REQUIRE(send(client, kAnn, out) == Session::Next::pause);
  CHECK(client.session().resume(out, 0) == Session::Next::drop);
  fault.answer = Fault::Answer::hang;
  set(client.faults_, {fault});
  CHECK(send(client, kAnn, out) == Session::Next::hang);
  set(client.faults_, {});
  out.clear();
  CHECK(send(client, kAnn, out) == Session::Next::request);
  CHECK(code_of(out) == ResultCode::success);
}

TEST_CASE("what waits can be abandoned, without an answer, and cancelled, with two") {
  Client client;
  Fault fault;
  fault.answer = Fault::Answer::hang;
  set(client.faults_, {fault});
  std::string out, message;
  REQUIRE(send(client, kAnn, out) == Session::Next::hang);
  ldap::encode(message, {5, ldap::AbandonRequest{99}, {}});
  CHECK_FALSE(client.session().interrupt(message, out));
  message.clear();
  ldap::encode(message, {5, ldap::AbandonRequest{4}, {}});
  CHECK(client.session().interrupt(message, out));
  CHECK(out.empty());
  REQUIRE(send(client, kAnn, out) == Session::Next::hang);
  message.clear();
  ldap::encode(message, {6, ldap::ExtendedRequest{std::string(ldap::kCancel), std::string("\x30\x03\x02\x01\x04", 5)}, {}});
  CHECK(client.session().interrupt(message, out));
  const std::size_t first = ber::frame(out, out.size()).size;
  CHECK(code_of(out.substr(0, first)) == ResultCode::canceled);
  CHECK(code_of(out.substr(first)) == ResultCode::success);
}

TEST_CASE("a cancel that comes too late finds no such operation") {
  Client client;
  const std::string id("\x30\x03\x02\x01\x04", 5);
  CHECK(client.response(ldap::ExtendedRequest{std::string(ldap::kCancel), id}).outcome.code == ResultCode::no_such_operation);
}
