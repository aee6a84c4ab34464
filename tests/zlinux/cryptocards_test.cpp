#include "zlinux/cryptocards.hpp"

#include <catch2/catch.hpp>

using namespace lab;

namespace {

constexpr const char* kTwoCards =
    "CARD.DOMAIN TYPE  MODE        STATUS  REQUESTS\n"
    "----------------------------------------------\n"
    "00          CEX6P EP11-Coproc online         7\n"
    "00.0005     CEX6P EP11-Coproc online         7\n"
    "0a          CEX7A Accelerator online      4711\n"
    "0a.0005     CEX7A Accelerator online      4711\n";

}  // namespace

TEST_CASE("lszcrypt's cards are read without their domains") {
  const auto cards = zlinux::parse_lszcrypt(kTwoCards);
  REQUIRE(cards.size() == 2);
  CHECK(cards[0].id == "00");
  CHECK_FALSE(cards[0].does_rsa());
  CHECK(cards[1].id == "0a");
  CHECK(cards[1].type == "CEX7A");
  CHECK(cards[1].mode == "Accelerator");
  CHECK(cards[1].online);
  CHECK(cards[1].requests == 4711);
  CHECK(zlinux::why_no_card(cards).empty());
}

TEST_CASE("the reason why no card serves is named") {
  CHECK(zlinux::why_no_card(zlinux::parse_lszcrypt("")) == "lszcrypt shows no crypto card");
  CHECK(zlinux::why_no_card(zlinux::parse_lszcrypt("No crypto card/adapter devices found.\n")) == "lszcrypt shows no crypto card");
  CHECK(zlinux::why_no_card(zlinux::parse_lszcrypt("01 CEX7A Accelerator offline 0\n02 CEX7P EP11-Coproc online 0\n")) ==
        "lszcrypt shows no card that does RSA and is online: 01 CEX7A Accelerator (not online), 02 CEX7P EP11-Coproc");
}
