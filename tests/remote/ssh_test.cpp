#include "remote/remote.hpp"
#include "sshd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using lab::Clock;
using lab::test::Sshd;
namespace remote = lab::remote;
namespace fs = std::filesystem;

namespace {

constexpr auto kLong = 120s;  // sanitizers on a busy host are slow

std::unique_ptr<remote::Remote> connected(const remote::Target& target) {
  auto connection = remote::connect_ssh(target, Clock::now() + kLong);
  INFO((connection ? "" : to_string(connection.error())));
  REQUIRE(connection.has_value());
  return std::move(*connection);
}

lab::Error refused(const remote::Target& target, std::chrono::milliseconds limit = kLong) {
  const auto connection = remote::connect_ssh(target, Clock::now() + limit);
  REQUIRE(connection.has_error());
  CHECK(connection.error().where.starts_with("node node1"));
  CHECK_FALSE(connection.error().remedy.empty());
  return connection.error();
}

std::string megabytes(std::size_t count) {
  std::string bytes(count << 20, '\0');
  std::uint64_t state = 1;
  for (char& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

class Listener {  // accepts, by way of its backlog, and never says a word
 public:
  Listener() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    bind(fd_, reinterpret_cast<sockaddr*>(&address), length);
    listen(fd_, 8);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length);
    port = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(fd_); }
  std::uint16_t port = 0;

 private:
  int fd_;
};

}  // namespace

TEST_CASE("a command's output, errors, exit code and input") {
  const Sshd sshd;
  const auto node = connected(sshd.target());

  const auto both = node->exec("echo out; echo err >&2; exit 7", "", Clock::now() + kLong);
  REQUIRE(both.has_value());
  CHECK(both->out == "out\n");
  CHECK(both->err == "err\n");
  CHECK(both->exit == 7);

  const std::string input = megabytes(1);
  const auto counted = node->exec("wc -c", input, Clock::now() + kLong);
  REQUIRE(counted.has_value());
  CHECK(std::stoul(counted->out) == input.size());

  const auto unread = node->exec("true", input, Clock::now() + kLong);
  REQUIRE(unread.has_value());
  CHECK(unread->exit == 0);

  const auto killed = node->exec("kill -9 $$", "", Clock::now() + kLong);
  REQUIRE(killed.has_value());
  CHECK(killed->exit == 128 + 9);

  const auto early = node->exec("exec >&- 2>&-; sleep 0.2; exit 5", "", Clock::now() + kLong);
  REQUIRE(early.has_value());
  CHECK(early->exit == 5);
}

TEST_CASE("output beyond the bound is dropped, and the command ends") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const auto done = node->exec("head -c 5000000 /dev/zero", "", Clock::now() + kLong);
  REQUIRE(done.has_value());
  CHECK(done->out.size() == std::size_t{1} << 20);
  CHECK(done->exit == 0);
}

TEST_CASE("one session runs a hundred commands") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  for (int i = 0; i < 100; ++i) {
    const auto done = node->exec("echo " + std::to_string(i), "", Clock::now() + kLong);
    REQUIRE(done.has_value());
    CHECK(done->out == std::to_string(i) + "\n");
  }
}

TEST_CASE("a command that outlasts its deadline is an error, and so is all that follows on that connection") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const auto begin = Clock::now();
  const auto late = node->exec("sleep 100", "", begin + 200ms);
  REQUIRE(late.has_error());
  CHECK(late.error().what == "no answer in time");
  CHECK(late.error().where == "node node1: sleep 100");
  CHECK(node->exec("true", "", Clock::now() + kLong).has_error());
  CHECK(Clock::now() - begin < 10s);
}

TEST_CASE("an open channel carries bytes both ways until its end") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const auto channel = node->open("echo warning >&2; head -c 12", Clock::now() + kLong);
  REQUIRE(channel.has_value());

  const auto nothing = (*channel)->read(Clock::now() + 50ms);
  REQUIRE(nothing.has_value());
  CHECK_FALSE(nothing->has_value());

  std::thread waker([&] { (*channel)->wake(); });
  const auto woken = (*channel)->read(Clock::now() + kLong);
  waker.join();
  REQUIRE(woken.has_value());
  CHECK_FALSE(woken->has_value());

  REQUIRE((*channel)->write("hello ", Clock::now() + kLong).has_value());
  REQUIRE((*channel)->write("world\n", Clock::now() + kLong).has_value());
  std::string text;
  while (true) {
    const auto some = (*channel)->read(Clock::now() + kLong);
    REQUIRE(some.has_value());
    REQUIRE(some->has_value());
    if ((*some)->empty()) {
      break;
    }
    text += **some;
  }
  CHECK(text == "hello world\n");
  CHECK((*channel)->errors() == "warning\n");
}

TEST_CASE("a waiting read ends when another thread aborts it") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const auto channel = node->open("sleep 100", Clock::now() + kLong);
  REQUIRE(channel.has_value());
  std::thread aborter([&] { (*channel)->abort(); });
  const auto begin = Clock::now();
  while ((*channel)->read(Clock::now() + kLong).has_value()) {
  }
  aborter.join();
  CHECK(Clock::now() - begin < 10s);
}

TEST_CASE("a file arrives whole, is skipped when it is there, and replaces one that differs") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const fs::path from = sshd.folder() / "from";
  const fs::path to = sshd.folder() / "it's here";
  lab::test::write_file(from, megabytes(5));

  const auto first = node->upload(from, to.string(), 0755, Clock::now() + kLong);
  INFO((first ? "" : to_string(first.error())));
  REQUIRE(first.has_value());
  CHECK(*first);
  CHECK(lab::test::read_file(to) == lab::test::read_file(from));
  CHECK((fs::status(to).permissions() & fs::perms::mask) == fs::perms{0755});
  CHECK_FALSE(fs::exists(to.string() + ".part"));

  const auto again = node->upload(from, to.string(), 0755, Clock::now() + kLong);
  REQUIRE(again.has_value());
  CHECK_FALSE(*again);

  std::string other = megabytes(5);
  other[12345] ^= 1;
  lab::test::write_file(from, other);
  const auto changed = node->upload(from, to.string(), 0755, Clock::now() + kLong);
  REQUIRE(changed.has_value());
  CHECK(*changed);
  CHECK(lab::test::read_file(to) == other);
}

TEST_CASE("an upload that was broken off is made whole by the next") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  const fs::path from = sshd.folder() / "from";
  const fs::path to = sshd.folder() / "to";
  lab::test::write_file(from, megabytes(1));
  lab::test::write_file(to.string() + ".part", std::string(std::size_t{3} << 20, 'x'));
  REQUIRE(node->upload(from, to.string(), 0644, Clock::now() + kLong).has_value());
  CHECK(lab::test::read_file(to) == lab::test::read_file(from));
}

TEST_CASE("an empty file is a file") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  lab::test::write_file(sshd.folder() / "from", "");
  REQUIRE(node->upload(sshd.folder() / "from", (sshd.folder() / "to").string(), 0600, Clock::now() + kLong).has_value());
  CHECK(fs::file_size(sshd.folder() / "to") == 0);
}

TEST_CASE("an upload into a folder that is not there says so") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  lab::test::write_file(sshd.folder() / "from", "x");
  const std::string to = (sshd.folder() / "no/such/to").string();
  const auto done = node->upload(sshd.folder() / "from", to, 0644, Clock::now() + kLong);
  REQUIRE(done.has_error());
  CHECK(done.error().what == to + ".part: no such file or folder");
  CHECK(done.error().where == "node node1: open " + to + ".part");
}

TEST_CASE("a full disk is named, and nothing is left on it") {
  if (getuid() != 0) {
    WARN("not root: no small file system can be mounted here, so the full disk is not tried");
    return;
  }
  const Sshd sshd;
  const fs::path small = sshd.folder() / "small";
  fs::create_directory(small);
  REQUIRE(mount("tmpfs", small.c_str(), "tmpfs", 0, "size=1m") == 0);
  {
    const auto node = connected(sshd.target());
    lab::test::write_file(sshd.folder() / "from", megabytes(3));
    const auto done = node->upload(sshd.folder() / "from", (small / "to").string(), 0644, Clock::now() + kLong);
    CHECK(done.has_error());
    if (done.has_error()) {
      CHECK(done.error().what.find("the disk is full") != std::string::npos);
      CHECK(done.error().remedy == "free space under " + small.string() + " on node node1");
    }
    CHECK(fs::is_empty(small));
  }
  CHECK(umount(small.c_str()) == 0);
}

TEST_CASE("a file comes back from the node") {
  const Sshd sshd;
  const auto node = connected(sshd.target());
  lab::test::write_file(sshd.folder() / "there", megabytes(3));
  REQUIRE(node->download((sshd.folder() / "there").string(), sshd.folder() / "here", Clock::now() + kLong).has_value());
  CHECK(lab::test::read_file(sshd.folder() / "here") == megabytes(3));

  const auto none = node->download((sshd.folder() / "absent").string(), sshd.folder() / "no", Clock::now() + kLong);
  REQUIRE(none.has_error());
  CHECK(none.error().what == (sshd.folder() / "absent").string() + ": no such file or folder");
  CHECK_FALSE(fs::exists(sshd.folder() / "no.part"));
}

TEST_CASE("seven nodes are served at once") {
  const Sshd sshd;
  lab::test::write_file(sshd.folder() / "from", megabytes(2));
  const auto upload = [&sshd](int i) -> lab::Result<bool> {
    const auto node = remote::connect_ssh(sshd.target(), Clock::now() + kLong);
    if (!node) {
      return node.error();
    }
    return (*node)->upload(sshd.folder() / "from", (sshd.folder() / ("to" + std::to_string(i))).string(), 0755, Clock::now() + kLong);
  };
  std::vector<std::future<lab::Result<bool>>> uploads;
  for (int i = 0; i < 7; ++i) {
    uploads.push_back(std::async(std::launch::async, upload, i));
  }
  for (auto& pending : uploads) {
    const auto done = pending.get();
    INFO((done ? "" : to_string(done.error())));
    CHECK(done.has_value());
  }
}

TEST_CASE("a host key other than the pinned one ends the connection, every time") {
  const Sshd sshd;
  connected(sshd.target());
  remote::Target changed = sshd.target();
  changed.host_key = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  const auto error = refused(changed);
  CHECK(error.what ==
        "host key of 127.0.0.1:" + std::to_string(changed.port) + " is " + sshd.target().host_key + ", not the pinned " + changed.host_key);
}

TEST_CASE("a key that the server does not know is refused with its name") {
  const Sshd sshd;
  remote::Target stranger = sshd.target();
  stranger.private_key = sshd.folder() / "other_key";
  lab::test::make_key(stranger.private_key);
  CHECK(refused(stranger).what.starts_with("key " + stranger.private_key.string() + " is refused for user " + stranger.user));
}

TEST_CASE("keys that cannot work are refused before anything is touched") {
  const lab::test::TemporaryFolder folder;
  remote::Target target{"node1", "127.0.0.1", 1, "nobody", folder.path() / "key", "SHA256:x"};
  SECTION("RSA, in OpenSSH's format") {
    lab::test::make_key(target.private_key, "rsa");
    const auto error = refused(target);
    CHECK(error.what == target.private_key.string() + " is an RSA key; only ed25519 keys work here");
    CHECK(error.remedy == "make one with `ssh-keygen -t ed25519 -N ''` and give its file");
  }
  SECTION("RSA, in PEM") {
    lab::test::write_file(target.private_key, "-----BEGIN RSA PRIVATE KEY-----\nMII=\n-----END RSA PRIVATE KEY-----\n");
    CHECK(refused(target).what == target.private_key.string() + " is an RSA key; only ed25519 keys work here");
  }
  SECTION("absent") { CHECK(refused(target).what == "open key " + target.private_key.string() + ": No such file or directory"); }
  SECTION("no key at all") {
    lab::test::write_file(target.private_key, "hello\n");
    CHECK(refused(target).what == target.private_key.string() + " is no private key in OpenSSH's format");
  }
  SECTION("cut short") {
    lab::test::write_file(target.private_key, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----\n");
    CHECK(refused(target).what == target.private_key.string() + " is damaged");
  }
}

TEST_CASE("a server that is not there is unreachable at once") {
  const Sshd sshd;
  remote::Target nobody = sshd.target();
  nobody.port = lab::test::free_port();
  CHECK(refused(nobody).what == "cannot reach 127.0.0.1:" + std::to_string(nobody.port) + ": Connection refused");
}

TEST_CASE("a server that says nothing is given up at the deadline") {
  const Sshd sshd;
  const Listener silent;
  remote::Target target = sshd.target();
  target.port = silent.port;
  const auto begin = Clock::now();
  CHECK(refused(target, 300ms).what ==
        "127.0.0.1:" + std::to_string(target.port) + " does not complete the SSH handshake: no answer in time");
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("words are quoted for the shell") {
  CHECK(remote::shell_quote("plain") == "'plain'");
  CHECK(remote::shell_quote("it's $HOME") == "'it'\\''s $HOME'");
}
