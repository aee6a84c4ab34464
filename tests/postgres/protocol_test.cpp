#include "catch_result.hpp"
#include "postgres/message.hpp"
#include "postgres/scram.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace std::string_literals;

TEST_CASE("messages have the bytes of PostgreSQL's protocol, version 3.0") {
  std::string out;
  postgres::put_startup(out, "me", "db");
  CHECK(out == "\0\0\0\x1d\0\3\0\0user\0me\0database\0db\0\0"s);
  out.clear();
  postgres::put_parse(out, "s", "SELECT 1");
  CHECK(out == "P\0\0\0\x11s\0SELECT 1\0\0\0"s);
  out.clear();
  postgres::put_bind(out, "s", {postgres::binary_int8(258)});
  CHECK(out == "B\0\0\0\x1d\0s\0\0\1\0\1\0\1\0\0\0\x8\0\0\0\0\0\0\1\2\0\1\0\1"s);
  out.clear();
  postgres::put_execute(out);
  postgres::put_sync(out);
  postgres::put_terminate(out);
  CHECK(out == "E\0\0\0\x9\0\0\0\0\0S\0\0\0\4X\0\0\0\4"s);
  out.clear();
  postgres::put_sasl_initial(out, "SCRAM-SHA-256", "n,,");
  CHECK(out == "p\0\0\0\x19SCRAM-SHA-256\0\0\0\0\3n,,"s);
}

TEST_CASE("a message is taken when all of it is there, and refused when it cannot be one") {
  using Status = postgres::Frame::Status;
  const std::string whole = "Z\0\0\0\5Imore"s;
  for (std::size_t length = 0; length < 6; ++length) {
    CHECK(postgres::frame(std::string_view(whole).substr(0, length), 100).status == Status::incomplete);
  }
  const auto found = postgres::frame(whole, 100);
  CHECK(found.status == Status::complete);
  CHECK(found.message.type == 'Z');
  CHECK(found.message.payload == "I");
  CHECK(found.size == 6);
  CHECK(postgres::frame("D\0\0\0\3"s, 100).status == Status::bad);
  CHECK(postgres::frame("D\x7f\xff\xff\xff"s, 1 << 20).status == Status::bad);  // before any of it is waited for
}

TEST_CASE("rows, errors and offers are read, and malformed ones told") {
  const std::string payload = "\0\3\0\0\0\2ab\xff\xff\xff\xff\0\0\0\0"s;
  const auto values = postgres::row(payload);
  REQUIRE(values);
  REQUIRE(values->size() == 3);
  CHECK((*values)[0] == "ab");
  CHECK((*values)[1] == std::nullopt);
  CHECK((*values)[2] == "");
  CHECK_FALSE(postgres::row("\0\1\0\0\0\5ab"s));
  CHECK_FALSE(postgres::row("\0\1"s));
  CHECK_FALSE(postgres::row("\0\0more"s));

  const auto error = postgres::server_error("SERROR\0C42P01\0Mno such table\0\0"s);
  CHECK(error.code == "42P01");
  CHECK(error.message == "no such table");
  CHECK(postgres::server_error("Cno end"s).code == "no end");
  CHECK(postgres::offers("SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"s, "SCRAM-SHA-256"));
  CHECK_FALSE(postgres::offers("SCRAM-SHA-256-PLUS\0\0"s, "SCRAM-SHA-256"));
}

TEST_CASE("SCRAM-SHA-256 says what RFC 7677's example says, and believes only a server that knows the password") {
  const std::string server_first = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
  postgres::Scram scram("user", "pencil", "rOprNGfwEbeRWgbNEkqO");
  CHECK(scram.client_first() == "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  const auto final = scram.client_final(server_first);
  REQUIRE(final);
  CHECK(*final == "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  CHECK(scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
  CHECK_FALSE(scram.verify("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
  CHECK_FALSE(scram.verify("e=other-error"));
}

TEST_CASE("SCRAM-SHA-256 refuses a nonce that is not its own continued, and work without end") {
  for (const char* first :
       {"r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "r=mine,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "r=minemore,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2000000000", "r=minemore,s=,i=4096", "r=minemore,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=0", ""}) {
    CAPTURE(first);
    postgres::Scram scram("user", "pencil", "mine");
    CHECK_FALSE(scram.client_final(first));
    CHECK_FALSE(scram.verify("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
  }
  CHECK(postgres::make_nonce() != postgres::make_nonce());
}
