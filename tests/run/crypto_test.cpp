#include "run/crypto.hpp"

#include <catch2/catch.hpp>

using namespace lab::run;

TEST_CASE("AES instructions are read from what libcrypto settled on, not from the variable's echo") {
  CHECK(uses_aes_instructions("OPENSSL_ia32cap=0xfffa3203578bffff:0x1840079c47ab") == true);
  CHECK(uses_aes_instructions("OPENSSL_ia32cap=0x7dfa3201478bffff:0x184007 env:~0x200000200000000:~0x60000000000") == false);
  CHECK(uses_aes_instructions("OPENSSL_s390xcap=stfle:0xfb6bfffffcfff840:0x0:kimd:0x1:0x0:km:0xf070:0x2828:kmc:0x0:0x0") == true);
  CHECK(uses_aes_instructions("OPENSSL_s390xcap=stfle:0xfb6bfffffcfff840:kimd:0x0:0x0:km:0x0:0x0:kmc:0x0:0x0:env:km:0:0") == false);
}

TEST_CASE("what says nothing of AES instructions is not guessed at") {
  CHECK(uses_aes_instructions("") == std::nullopt);
  CHECK(uses_aes_instructions("OPENSSL_armcap=0x7f") == std::nullopt);
  CHECK(uses_aes_instructions("OPENSSL_ia32cap=garbage") == std::nullopt);
  CHECK(uses_aes_instructions("OPENSSL_s390xcap=stfle:0x1") == std::nullopt);
}

TEST_CASE("software crypto is a variable of the architecture") {
  CHECK(software_environment("x86_64")->at("OPENSSL_ia32cap") == "~0x200000200000000:~0x60000000000");
  CHECK(software_environment("s390x")->at("OPENSSL_s390xcap").starts_with("kimd:0:0;"));
  CHECK_FALSE(software_environment("riscv64").has_value());
}
