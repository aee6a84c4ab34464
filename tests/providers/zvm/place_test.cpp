#include "providers/zvm/place.hpp"

#include "remote/sshd.hpp"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <cstdlib>

using namespace lab;
using namespace lab::providers::zvm;

namespace {

struct Variable {  // set for one test
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  const char* const name_;
};

}  // namespace

TEST_CASE("URLs of Feilong are taken apart, and what is none is refused") {
  struct Case {
    const char *url, *host, *port, *path;
    bool tls;
  };
  for (const Case& one :
       {Case{"http://zvm.example", "zvm.example", "8080", "", false}, Case{"https://zvm.example/", "zvm.example", "443", "", true},
        Case{"http://10.1.0.2:8081/feilong/", "10.1.0.2", "8081", "/feilong", false},
        Case{"https://[fd00::1]:9443", "fd00::1", "9443", "", true}}) {
    INFO(one.url);
    const auto address = parse_url(one.url);
    REQUIRE(address);
    CHECK(address->host == one.host);
    CHECK(address->port == one.port);
    CHECK(address->path == one.path);
    CHECK(address->tls == one.tls);
  }
  for (const char* url : {"zvm.example:8080", "ftp://zvm.example", "http://", "http://zvm:port"}) {
    INFO(url);
    CHECK_FALSE(parse_url(url));
  }
}

TEST_CASE("the admin token comes from a file that only its owner may read, or from the environment") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "token";
  FeilongAccess access{"http://zvm", file};
  CHECK(admin_token(access).error().what == "the admin token is not there");
  test::write_file(file, "T0ken \nsecond line\n");
  chmod(file.c_str(), 0644);
  CHECK(to_string(admin_token(access).error()) == "the admin token may be read by others\n  at " + file + "\n  chmod 600 " + file);
  chmod(file.c_str(), 0600);
  CHECK(admin_token(access).value() == "T0ken");
  const Variable variable(kTokenVariable, "from-environment");
  CHECK(admin_token(access).value() == "T0ken");
  CHECK(admin_token(FeilongAccess{"http://zvm"}).value() == "from-environment");
}

TEST_CASE("where Feilong is comes from the lab file, else from what was written down, else from the environment") {
  const test::TemporaryFolder folder;
  Lab lab;
  CHECK_FALSE(access_of(lab, folder.path()));
  const Variable variable(kUrlVariable, "http://environment");
  CHECK(access_of(lab, folder.path())->url == "http://environment");
  REQUIRE(save(folder.path(), FeilongAccess{"http://written", "/token"}));
  CHECK(access_of(lab, folder.path())->url == "http://written");
  CHECK(access_of(lab, folder.path())->token_file == "/token");
  lab.feilong.url = "http://lab-file";
  CHECK(access_of(lab, folder.path())->url == "http://lab-file");
}
