#include "providers/zvm/config_drive.hpp"

#include "remote/process.hpp"
#include "remote/sshd.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::providers::zvm;

namespace {

Identity identity() {
  return {"webseal",
          "root",
          "ssh-ed25519 AAAAC3Lab lab\n",
          "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nbnNz\n-----END OPENSSH PRIVATE KEY-----\n",
          "ssh-ed25519 AAAAC3Host",
          "LAB 0123456789abcdef webseal"};
}

std::string run(const std::vector<std::string>& words) {
  const auto done = remote::run(words, {}, Clock::now() + std::chrono::seconds(20));
  REQUIRE(done);
  INFO(done->err);
  REQUIRE(done->exit == 0);
  return done->out;
}

}  // namespace

TEST_CASE("the config drive is a gzipped tar that tar reads, the same each time") {
  const test::TemporaryFolder folder;
  const auto drive = config_drive(identity());
  REQUIRE(drive);
  CHECK(*drive == *config_drive(identity()));
  test::write_file(folder.path() / "drive", *drive);
  CHECK(run({"tar", "tzf", folder.path() / "drive"}) ==
        "openstack/latest/meta_data.json\nopenstack/latest/user_data\nopenstack/latest/vendor_data.json\n");
  run({"tar", "xzf", folder.path() / "drive", "-C", folder.path()});
  CHECK(test::read_file(folder.path() / "openstack/latest/user_data") ==
        "#cloud-config\n"
        "preserve_hostname: false\n"
        "ssh_pwauth: false\n"
        "ssh_deletekeys: true\n"
        "disable_root: false\n"
        "ssh_keys:\n"
        "  ed25519_private: |\n"
        "    -----BEGIN OPENSSH PRIVATE KEY-----\n"
        "    b3Bl\n"
        "    bnNz\n"
        "    -----END OPENSSH PRIVATE KEY-----\n"
        "  ed25519_public: ssh-ed25519 AAAAC3Host\n"
        "users:\n"
        "  - name: root\n"
        "    ssh_authorized_keys:\n"
        "      - ssh-ed25519 AAAAC3Lab lab\n");
  CHECK(
      test::read_file(folder.path() / "openstack/latest/meta_data.json") ==
      R"({"uuid":"LAB 0123456789abcdef webseal","name":"webseal","hostname":"webseal","launch_index":0,"public_keys":{"lab":"ssh-ed25519 AAAAC3Lab lab"}})"
      "\n");
}

TEST_CASE("a user who is not root may become root without a password") {
  Identity other = identity();
  other.user = "bench";
  const std::string text = drive_files(other)[1].content;
  CHECK(text.find("disable_root: true\n") != std::string::npos);
  CHECK(text.find("  - name: bench\n    ssh_authorized_keys:\n      - ssh-ed25519 AAAAC3Lab lab\n    sudo: ALL=(ALL) NOPASSWD:ALL\n") !=
        std::string::npos);
}

TEST_CASE("a drive with real keys is shorter than what any of Feilong's calls bears") {
  const test::TemporaryFolder folder;
  test::make_key(folder.path() / "key");
  Identity real = identity();
  real.host_key = test::read_file(folder.path() / "key");
  real.host_key_public = test::read_file(folder.path() / "key.pub");
  real.host_name = std::string(63, 'n');
  CHECK(config_drive(real)->size() < 4000);
}
