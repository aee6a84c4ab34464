// HTTP/1.1 message heads and bodies by RFC 9112, without I/O. Strict: what is ambiguous is an error, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::http {

struct Header {
  std::string_view name, value;  // value without surrounding blanks
};

struct Limits {
  std::size_t line = 16 * 1024;  // request target and status line
  std::size_t head = 32 * 1024;  // all of a head
  std::size_t headers = 200;
};

enum class Parse { done, more, bad, too_large };  // too_large → 431 (414 for the target)

// How a message's body is delimited (RFC 9112 section 6.3).
enum class BodyKind { none, length, chunked, until_close };

struct Body {
  BodyKind kind = BodyKind::none;
  std::uint64_t length = 0;
};

struct Request {
  std::string_view method, target;  // target as sent
  int minor = 1;                    // HTTP/1.x
  std::vector<Header> headers;      // in order; views into the parsed buffer
  Body body;
  bool keep_alive = true;
  bool expect_continue = false;
  std::string_view host;  // empty: none (HTTP/1.0 only)

  std::optional<std::string_view> find(std::string_view name) const;  // first; case-insensitive
};

struct Response {
  int status = 0;
  std::string_view reason;
  int minor = 1;
  std::vector<Header> headers;
  Body body;
  bool keep_alive = true;

  std::optional<std::string_view> find(std::string_view name) const;
};

struct ParseResult {
  Parse status;
  std::size_t consumed = 0;  // bytes of the head, when done
  const char* why = "";      // when bad or too_large
  int code = 400;            // the status to answer with, when not done
};

// Parses a head at the start of data. `message` is reused: its vectors keep their capacity.
ParseResult parse_request(std::string_view data, Request& message, const Limits& limits = {});
// `to_head`: the response answers HEAD, so it has no body. 1xx, 204 and 304 never have one.
ParseResult parse_response(std::string_view data, Response& message, bool to_head, const Limits& limits = {});

// Decodes a chunked body piece by piece; strict about sizes, CRLF and trailers.
class ChunkDecoder {
 public:
  struct Step {
    Parse status = Parse::more;  // done: the last chunk and its trailers were read
    std::size_t consumed = 0;    // of the data given
    std::string_view body;       // decoded bytes, a view into the data given; may be empty, may come with done
    const char* why = "";
  };
  // Call again with the rest until more (all consumed), done or bad. One step gives at most one run of body bytes.
  Step next(std::string_view data);
  void reset() { *this = ChunkDecoder{}; }

 private:
  enum class State : std::uint8_t {
    size,
    size_blank,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_start,
    trailer_name,
    trailer_value,
    trailer_lf,
    end_lf,
    done
  };
  const char* advance(char c);  // one byte of framing; what is wrong with it, or nothing
  State state_ = State::size;
  std::uint64_t left_ = 0;
  int digits_ = 0;
  std::size_t extra_ = 0;  // bytes of this chunk's extensions, or of the trailers; bounded
};

bool equals_ignore_case(std::string_view a, std::string_view b);
// One of a comma-separated list's members, ignoring case: token_in("close, x", "close").
bool token_in(std::string_view list, std::string_view token);
std::string_view reason_phrase(int status);
// RFC 9110 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::int64_t unix_seconds);

}  // namespace lab::http
