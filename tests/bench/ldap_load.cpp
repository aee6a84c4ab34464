// Drives an LDAP server for a benchmark: so many connections, one request under way on each, for so many seconds.
// usage: bench_ldap HOST:PORT CONNECTIONS SECONDS bind|connect|search USERS
//   bind: binds on kept connections · connect: a new connection for each bind · search: by uid, on kept connections, bound as nobody
// Prints how many operations were done; ends with 1 on the first answer that is not success.
#include "ldap/message.hpp"
#include "net/socket.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace lab;
using Clock = std::chrono::steady_clock;

enum class Kind { bind, connect, search };

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench_ldap: %s\n", why.c_str());
  std::exit(1);
}

std::string digits(unsigned number) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%06u", number % 1'000'000);
  return text.data();
}

std::vector<std::string> make_requests(Kind kind, unsigned users) {
  std::vector<std::string> requests;
  for (unsigned i = 1; i <= users; ++i) {
    const std::string uid = "user" + digits(i);
    std::string& out = requests.emplace_back();
    if (kind == Kind::search) {
      ldap::encode(out, {2, ldap::SearchRequest{"dc=lab", ldap::Scope::subtree, 0, 0, 0, false, ldap::equality("uid", uid), {}}, {}});
    } else {
      ldap::encode(out, {2, ldap::BindRequest{3, "uid=" + uid + ",ou=people,dc=lab", "secret" + digits(i), {}, {}}, {}});
    }
  }
  return requests;
}

struct Connection {
  net::Fd socket;
  std::string in;
  int entries = 0;  // of the answer under way
};

class Driver {
 public:
  Driver(net::Address address, Kind kind, unsigned users)
      : address_(address), kind_(kind), requests_(make_requests(kind, users)), epoll_(epoll_create1(0)) {}

  std::uint64_t run(std::size_t connections, std::chrono::duration<double> duration) {
    connections_.resize(connections);
    for (Connection& one : connections_) {
      open(one);
    }
    const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(duration);
    std::array<epoll_event, 64> events;
    while (Clock::now() < end) {
      const int ready = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 1000);
      for (int i = 0; i < ready; ++i) {
        receive(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
      }
    }
    return done_;
  }

 private:
  void open(Connection& one) {
    one.in.clear();
    one.socket = std::move(net::connect_tcp(address_).value());
    pollfd writable{one.socket.get(), POLLOUT, 0};
    if (poll(&writable, 1, 10'000) != 1 || net::pending_error(one.socket.get()) != 0) {
      give_up("cannot connect");
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &one;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, one.socket.get(), &event);
    ask(one);
  }

  void ask(const Connection& one) {
    const std::string& request = requests_[next_++ % requests_.size()];
    if (send(one.socket.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
      give_up("cannot send");
    }
  }

  void receive(Connection& one) {
    std::array<char, 16384> buffer;
    const ssize_t got = recv(one.socket.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      give_up("the server closed a connection");
    }
    one.in.append(buffer.data(), static_cast<std::size_t>(got));
    for (;;) {
      const ldap::ber::Frame frame = ldap::frame(one.in, std::size_t{1} << 20);
      if (frame.status != ldap::ber::Frame::Status::complete) {
        return;
      }
      const auto message = ldap::decode(std::string_view(one.in).substr(0, frame.size));
      const auto* response = message ? std::get_if<ldap::Response>(&message->operation) : nullptr;
      one.entries += message && std::holds_alternative<ldap::SearchEntry>(message->operation) ? 1 : 0;
      one.in.erase(0, frame.size);
      if (response != nullptr) {
        return finish(one, response->outcome.code);
      }
    }
  }

  void finish(Connection& one, ldap::ResultCode code) {
    if (code != ldap::ResultCode::success || (kind_ == Kind::search && one.entries != 1)) {
      give_up("not the answer expected: code " + std::to_string(static_cast<int>(code)) + ", " + std::to_string(one.entries) + " entries");
    }
    ++done_;
    one.entries = 0;
    kind_ == Kind::connect ? open(one) : ask(one);
  }

  const net::Address address_;
  const Kind kind_;
  const std::vector<std::string> requests_;
  const net::Fd epoll_;
  std::vector<Connection> connections_;
  std::uint64_t done_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    give_up("usage: bench_ldap HOST:PORT CONNECTIONS SECONDS bind|connect|search USERS");
  }
  const std::string kind = argv[4];
  Driver driver(net::Address::parse(argv[1]).value(),
                kind == "bind"      ? Kind::bind
                : kind == "connect" ? Kind::connect
                                    : Kind::search,
                static_cast<unsigned>(std::atoi(argv[5])));
  std::printf("%llu\n", static_cast<unsigned long long>(
                            driver.run(static_cast<std::size_t>(std::atoi(argv[2])), std::chrono::duration<double>(std::atof(argv[3])))));
}
