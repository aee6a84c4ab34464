#include "lab/units.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;

TEST_CASE("the study's page sizes are these bytes") {
  CHECK(lab::parse_size("100B") == 100);
  CHECK(lab::parse_size("5.8KB") == 5939);
  CHECK(lab::parse_size("12KB") == 12288);
  CHECK(lab::parse_size("2.9MB") == 3040870);
  CHECK(lab::parse_size("17") == 17);
  CHECK(lab::parse_size("1.0B") == 1);
  CHECK(lab::parse_size("0KB") == 0);
}

TEST_CASE("a size that is none is nothing") {
  for (const char* text :
       {"", "KB", "-1", "5.8kb", "1e3", "0x10", "5 KB", "99999999999999999999GB", "nan", "inf", "1.5B", "2.5", "0.0001KB", "0.5B"}) {
    CAPTURE(text);
    CHECK_FALSE(lab::parse_size(text));
  }
}

TEST_CASE("sizes are written in their shortest form that reads back the same") {
  for (const char* text : {"100B", "5.8KB", "12KB", "2.9MB", "1GB", "0B", "1000B"}) {
    CHECK(lab::format_size(*lab::parse_size(text)) == text);
  }
}

TEST_CASE("durations") {
  CHECK(lab::parse_duration("0.3s") == 300ms);
  CHECK(lab::parse_duration("100ms") == 100ms);
  CHECK(lab::parse_duration("24h") == 24h);
  CHECK(lab::parse_duration("5m") == 5min);
  CHECK(lab::parse_duration("250us") == 250us);
  CHECK(lab::parse_duration("2") == 2s);
  CHECK_FALSE(lab::parse_duration("-1s"));
  CHECK_FALSE(lab::parse_duration("1 s"));
  CHECK_FALSE(lab::parse_duration("s"));
  CHECK(lab::format_duration(300ms) == "300ms");
  CHECK(lab::format_duration(1500ms) == "1.5s");
  CHECK(lab::format_duration(130s) == "2m10s");
  CHECK(lab::format_duration(2h) == "2h");
}
