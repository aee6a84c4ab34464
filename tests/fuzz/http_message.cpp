// Bytes from a client or a back end: heads and chunked bodies. What a head is does not depend on how its bytes come in, and what is
// read from chunks is the same whether they come at once or one by one.
#include "http/message.hpp"

#include <cstdlib>

namespace {

using namespace lab::http;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// A beginning of a head that is good is never bad, and the same head comes out.
void read_request(std::string_view text) {
  Request whole;
  const ParseResult result = parse_request(text, whole);
  if (result.status != Parse::done) {
    return;
  }
  require(result.consumed <= text.size() && is_inside(whole.method, text) && is_inside(whole.target, text));
  for (const Header& header : whole.headers) {
    require(!header.name.empty() && is_inside(header.name, text) && header.value.find_first_of("\r\n") == std::string_view::npos);
  }
  Request part;
  const std::size_t cut = result.consumed / 2;
  require(parse_request(text.substr(0, cut), part).status == Parse::more);
  require(parse_request(text.substr(0, result.consumed), part).consumed == result.consumed);
}

struct Decoded {
  Parse status = Parse::more;
  std::string body;
  std::size_t consumed = 0;
};

Decoded decode(std::string_view text, std::size_t piece) {
  ChunkDecoder decoder;
  Decoded all;
  while (all.consumed < text.size() && all.status == Parse::more) {
    const std::string_view part = text.substr(all.consumed, piece);
    std::size_t taken = 0;
    while (taken < part.size() && all.status == Parse::more) {
      const ChunkDecoder::Step step = decoder.next(part.substr(taken));
      require(step.consumed <= part.size() - taken && is_inside(step.body, part));
      all.body += step.body;
      all.status = step.status;
      taken += step.consumed;
      if (step.consumed == 0 && step.status == Parse::more) {
        std::abort();  // it would not get on
      }
    }
    all.consumed += taken;
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_request(text);
  Response response;
  for (const bool to_head : {false, true}) {
    const ParseResult result = parse_response(text, response, to_head);
    require(result.status != Parse::done || result.consumed <= size);
  }
  const Decoded at_once = decode(text, size == 0 ? 1 : size), one_by_one = decode(text, 1);
  require(at_once.status == one_by_one.status && at_once.body == one_by_one.body);
  return 0;
}
