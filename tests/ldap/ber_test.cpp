#include "ldap/ber.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace std::string_literals;
namespace ber = lab::ldap::ber;
using Status = ber::Frame::Status;

namespace {

std::string integer(std::int64_t value) {
  std::string out;
  ber::Writer(out).integer(value);
  return out;
}

}  // namespace

TEST_CASE("integers are written in the fewest bytes of two's complement") {
  CHECK(integer(0) == "\x02\x01\x00"s);
  CHECK(integer(127) == "\x02\x01\x7f"s);
  CHECK(integer(128) == "\x02\x02\x00\x80"s);  // go-asn1-ber 11
  CHECK(integer(255) == "\x02\x02\x00\xff"s);
  CHECK(integer(256) == "\x02\x02\x01\x00"s);
  CHECK(integer(32768) == "\x02\x03\x00\x80\x00"s);
  CHECK(integer(-1) == "\x02\x01\xff"s);
  CHECK(integer(-128) == "\x02\x01\x80"s);
  CHECK(integer(-129) == "\x02\x02\xff\x7f"s);
  CHECK(integer(2147483647) == "\x02\x04\x7f\xff\xff\xff"s);
}

TEST_CASE("integers are read back as they were written") {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{127}, std::int64_t{128}, std::int64_t{-128}, std::int64_t{-129},
        std::int64_t{65535}, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const std::string bytes = integer(value);
    ber::Reader reader(bytes);
    CHECK(reader.integer() == value);
    CHECK(reader.ok());
    CHECK(reader.done());
  }
}

TEST_CASE("an integer without bytes, or of more than eight, fails") {
  for (const std::string& bytes : {"\x02\x00"s, "\x02\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01"s}) {
    ber::Reader reader(bytes);
    CHECK(reader.integer() == 0);
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("lengths take one byte up to 127, then as many as they need") {
  for (const auto& [size, head] : {std::pair{127U, "\x04\x7f"s}, std::pair{128U, "\x04\x81\x80"s}, std::pair{256U, "\x04\x82\x01\x00"s}}) {
    std::string out;
    ber::Writer(out).text(std::string(size, 'x'));
    CHECK(out.substr(0, head.size()) == head);
    CHECK(out.size() == head.size() + size);
  }
}

TEST_CASE("an element that ends is given its length, short or long, at any depth") {
  std::string out = "before";
  {
    ber::Writer writer(out);
    const ber::Writer::Scope outer(writer, ber::kSequence);
    const ber::Writer::Scope inner(writer, ber::kSet);
    writer.text(std::string(200, 'a'));
  }
  ber::Reader reader(std::string_view(out).substr(6));
  ber::Reader outer = reader.open(ber::kSequence);
  ber::Reader inner = outer.open(ber::kSet);
  CHECK(inner.read(ber::kOctetString) == std::string(200, 'a'));
  CHECK((reader.ok() && reader.done() && outer.done() && inner.done()));
}

TEST_CASE("a claimed length of 2 GiB is refused from the head alone") {
  CHECK(ber::frame("\x30\x84\x7f\xff\xff\xff"s, 1 << 20).status == Status::malformed);
  CHECK(ber::frame("\x30\x84\xff\xff\xff\xff"s, 1 << 20).status == Status::malformed);
}

TEST_CASE("a frame is incomplete until its last byte is there") {
  const std::string message = "\x30\x05\x02\x01\x01\x42\x00"s;
  for (std::size_t size = 0; size < message.size(); ++size) {
    CHECK(ber::frame(message.substr(0, size), 100).status == Status::incomplete);
  }
  const ber::Frame frame = ber::frame(message + "next", 100);
  CHECK(frame.status == Status::complete);
  CHECK(frame.size == message.size());
}

TEST_CASE("a frame of just the limit passes, one byte more does not") {
  std::string out;
  ber::Writer(out).text(std::string(96, 'x'), ber::kSequence);
  CHECK(ber::frame(out, out.size()).status == Status::complete);
  CHECK(ber::frame(out, out.size() - 1).status == Status::malformed);
}

TEST_CASE("lengths that need not be as long as they are written are read") {
  CHECK(ber::frame("\x30\x84\x00\x00\x00\x02\x05\x00"s, 100).size == 8);
}

TEST_CASE("indefinite lengths, five length bytes and long tags are refused") {
  CHECK(ber::frame("\x30\x80\x00\x00"s, 100).status == Status::malformed);
  CHECK(ber::frame("\x30\x85\x00\x00\x00\x00\x01x"s, 100).status == Status::malformed);
  CHECK(ber::frame("\x3f\x81"s, 100).status == Status::malformed);
}

TEST_CASE("a content longer than what is left fails, and nothing can be read after it") {
  const std::string bytes =
      "\x04\x05"
      "abc\x02\x01\x01"s;
  ber::Reader reader(std::string_view(bytes).substr(0, 5));
  CHECK(reader.read(ber::kOctetString).empty());
  CHECK_FALSE(reader.ok());
  CHECK(reader.done());
  CHECK(reader.integer() == 0);
}
