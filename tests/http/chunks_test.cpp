#include "http/message.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace lab::http;

namespace {

struct Decoded {
  Parse status = Parse::more;
  std::string body;
  std::string rest;  // what follows the message
  std::string why;
};

// Feeds the text in pieces of `piece` bytes.
Decoded decode(std::string_view text, std::size_t piece) {
  ChunkDecoder decoder;
  Decoded decoded;
  std::size_t at = 0;
  while (at < text.size() && decoded.status == Parse::more) {
    std::string_view part = text.substr(at, piece);
    while (!part.empty() && decoded.status == Parse::more) {
      const auto step = decoder.next(part);
      decoded.body += step.body;
      decoded.status = step.status;
      decoded.why = step.why;
      part.remove_prefix(step.consumed);
      at += step.consumed;
    }
  }
  decoded.rest = text.substr(at);
  return decoded;
}

void refused(std::string_view text) {
  INFO(text);
  CHECK(decode(text, 1).status == Parse::bad);
  CHECK(decode(text, text.size()).status == Parse::bad);
}

}  // namespace

TEST_CASE("a chunked body is decoded whatever the pieces it comes in") {
  const std::string_view text = "5\r\nhello\r\n1;name=\"v\"\r\n \r\n00000B ;x\r\nworld, agai\r\n0\r\nTrailer: a\r\nB:\r\n\r\nGET /";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    INFO(piece);
    const Decoded decoded = decode(text, piece);
    CHECK(decoded.status == Parse::done);
    CHECK(decoded.body == "hello world, agai");
    CHECK(decoded.rest == "GET /");
  }
}

TEST_CASE("one step gives one run of body bytes and goes on to the next chunk's data") {
  ChunkDecoder decoder;
  const auto first = decoder.next("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  CHECK(first.body == "abc");
  CHECK(first.consumed == 11);
  const auto second = decoder.next("de\r\n0\r\n\r\n");
  CHECK(second.body == "de");
  CHECK(second.status == Parse::done);
  CHECK(second.consumed == 9);
}

TEST_CASE("chunk sizes that are not hexadecimal digits are refused") {
  refused("0_2e\r\n");  // CVE-2023-47627
  refused("+5\r\nhello\r\n");
  refused("-5\r\nhello\r\n");
  refused("0x5\r\nhello\r\n");
  refused(" 5\r\nhello\r\n");
  refused("5 \r\nhello\r\n");
  refused("5 5\r\nhello\r\n");
  refused("\r\nhello");
  refused(";x\r\n");
  refused("1000000000000000\r\n");
  refused("00000000000000001\r\n");
}

TEST_CASE("chunks that are longer than their size are refused") {
  refused("5\r\nhelloXX");  // CVE-2025-43859
  refused("5\r\nhello\n");
  refused("5\r\nhello\rX");
  refused("5\nhello\r\n");
  refused("5\rhello\r\n");
}

TEST_CASE("what looks like a second request in the trailers is a trailer") {  // CVE-2023-40175
  const Decoded decoded = decode("0\r\nX:POST / HTTP/1.1\r\n\r\n", 100);
  CHECK(decoded.status == Parse::done);
  CHECK(decoded.rest.empty());
}

TEST_CASE("bad trailers are refused") {
  refused("0\r\nX: a\nY: b\r\n\r\n");
  refused("0\r\n: a\r\n\r\n");
  refused("0\r\nno colon\r\n\r\n");
  refused("0\r\nX: a\r\n folded\r\n\r\n");
  refused("0\r\nX: \x01\r\n\r\n");
  refused("0\r\n\n");
  refused("0\r\n\rX");
  refused("0\r\nX: a\rX");
}

TEST_CASE("extensions and trailers are bounded") {
  refused("5;" + std::string(5000, 'x'));
  refused("0\r\nX: " + std::string(17000, 'x'));
  CHECK(decode("5;" + std::string(4000, 'x') + "\r\nhello\r\n5;" + std::string(4000, 'x') + "\r\nhello\r\n0\r\n\r\n", 7).status ==
        Parse::done);
}

TEST_CASE("a decoder reset starts a new body") {
  ChunkDecoder decoder;
  CHECK(decoder.next("0\r\n\r\n").status == Parse::done);
  decoder.reset();
  CHECK(decoder.next("1\r\na\r\n0\r\n\r\n").body == "a");
}
