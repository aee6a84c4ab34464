#include "http/characters.hpp"
#include "http/message.hpp"

#include <algorithm>

namespace lab::http {

namespace {

// What the headers say about framing and the connection, gathered in the one pass over them.
struct Framing {
  bool has_length = false, has_coding = false, chunked = false;
  std::uint64_t length = 0;
  bool close = false, keep_alive = false;
};

struct Fault {
  const char* why = nullptr;
  int code = 400;
  explicit operator bool() const { return why != nullptr; }
};

ParseResult need_more() { return {Parse::more}; }
ParseResult bad(const char* why, int code = 400) { return {Parse::bad, 0, why, code}; }
ParseResult too_large(const char* why, int code) { return {Parse::too_large, 0, why, code}; }

// Content-Length = 1*DIGIT: no sign, no blank, no list.
bool parse_length(std::string_view text, std::uint64_t& length) {
  if (text.empty() || text.size() > 18) {
    return false;
  }
  length = 0;
  for (const char c : text) {
    if (!is_digit(c)) {
      return false;
    }
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

Fault note_length(std::string_view value, Framing& framing) {
  if (framing.has_length) {
    return {"Content-Length twice"};
  }
  framing.has_length = true;
  if (!parse_length(value, framing.length)) {
    return {"Content-Length is not a number"};
  }
  return {};
}

Fault note_coding(std::string_view value, Framing& framing) {
  if (framing.has_coding) {
    return {"Transfer-Encoding twice"};
  }
  framing.has_coding = true;
  const auto comma = value.rfind(',');
  std::string_view last = comma == std::string_view::npos ? value : value.substr(comma + 1);
  while (!last.empty() && is_blank(last.front())) {
    last.remove_prefix(1);
  }
  if (!equals_ignore_case(last, "chunked")) {
    return {"Transfer-Encoding does not end in chunked"};
  }
  if (comma != std::string_view::npos) {
    return {"only the transfer coding chunked is supported", 501};
  }
  framing.chunked = true;
  return {};
}

void note_connection(std::string_view value, Framing& framing) {
  framing.close = framing.close || token_in(value, "close");
  framing.keep_alive = framing.keep_alive || token_in(value, "keep-alive");
}

// The headers that both kinds of message share; told apart by length first.
Fault note_common(const Header& header, Framing& framing) {
  switch (header.name.size()) {
    case 10:
      if (equals_ignore_case(header.name, "Connection")) {
        note_connection(header.value, framing);
      }
      return {};
    case 14: return equals_ignore_case(header.name, "Content-Length") ? note_length(header.value, framing) : Fault{};
    case 17: return equals_ignore_case(header.name, "Transfer-Encoding") ? note_coding(header.value, framing) : Fault{};
    default: return {};
  }
}

// RFC 9112 section 6.1: both together, or a coding in HTTP/1.0, may be an attempt at smuggling.
Fault check_framing(const Framing& framing, int minor) {
  if (framing.has_length && framing.has_coding) {
    return {"Content-Length and Transfer-Encoding together"};
  }
  if (framing.has_coding && minor == 0) {
    return {"Transfer-Encoding in HTTP/1.0"};
  }
  return {};
}

bool stays_open(const Framing& framing, int minor) { return !framing.close && (minor > 0 || framing.keep_alive); }

bool valid_host(std::string_view host) { return std::all_of(host.begin(), host.end(), is_host_char); }

struct Line {
  Parse status = Parse::more;
  Fault fault = {};
  std::size_t end = 0;  // past its CRLF
};

// CRLF at `at`, after text that ends there.
Line end_line(std::string_view data, std::size_t at, const char* otherwise) {
  if (at >= data.size()) {
    return {};
  }
  if (data[at] != '\r') {
    return {Parse::bad, {data[at] == '\n' ? "a line ends in a bare LF" : otherwise}};
  }
  if (at + 1 >= data.size()) {
    return {};
  }
  if (data[at + 1] != '\n') {
    return {Parse::bad, {"a bare CR"}};
  }
  return {Parse::done, {}, at + 2};
}

// field-line = field-name ":" OWS field-value OWS, without line folding (RFC 9112 section 5).
Line parse_header(std::string_view data, std::size_t at, Header& header) {
  std::size_t i = at;
  while (i < data.size() && is_token_char(data[i])) {
    ++i;
  }
  if (i >= data.size()) {
    return {};
  }
  if (data[i] != ':' || i == at) {
    return {Parse::bad, {i == at && is_blank(data[i]) ? "a folded header line" : "a bad header name"}};
  }
  header.name = data.substr(at, i - at);
  ++i;
  while (i < data.size() && is_blank(data[i])) {
    ++i;
  }
  const std::size_t begin = i;
  i = end_of_field_text(data, i);
  const Line line = end_line(data, i, "a control character in a header");
  if (line.status == Parse::done) {
    while (i > begin && is_blank(data[i - 1])) {
      --i;
    }
    header.value = data.substr(begin, i - begin);
  }
  return line;
}

// All header lines up to the empty one. `note` sees each once it is complete.
template <class Note>
ParseResult parse_headers(std::string_view data, std::size_t at, std::vector<Header>& headers, const Limits& limits, const Note& note) {
  for (;;) {
    if (at < data.size() && data[at] == '\r') {
      const Line end = end_line(data, at, "");
      if (end.status == Parse::bad) {
        return bad(end.fault.why);
      }
      if (end.status == Parse::more) {
        break;
      }
      if (end.end > limits.head) {
        return too_large("the head is too large", 431);
      }
      return {Parse::done, end.end};
    }
    Header header;
    const Line line = parse_header(data, at, header);
    if (line.status == Parse::bad) {
      return bad(line.fault.why);
    }
    if (line.status == Parse::more) {
      break;
    }
    if (headers.size() == limits.headers) {
      return too_large("too many headers", 431);
    }
    headers.push_back(header);
    if (const Fault fault = note(header)) {
      return bad(fault.why, fault.code);
    }
    at = line.end;
  }
  return data.size() >= limits.head ? too_large("the head is too large", 431) : need_more();
}

constexpr std::string_view kVersion = "HTTP/1.";
constexpr std::size_t kMaxEmptyLines = 4;

// "HTTP/1." DIGIT at `at`; more while what is there could still become it.
ParseResult parse_version(std::string_view data, std::size_t at, int& minor) {
  const std::string_view have = data.substr(at, kVersion.size());
  if (have != kVersion.substr(0, have.size())) {
    const bool other = have.substr(0, 5) == "HTTP/" && have.size() > 5 && is_digit(have[5]);
    return other ? bad("only HTTP/1.0 and HTTP/1.1 are spoken here", 505) : bad("a bad HTTP version");
  }
  if (data.size() <= at + kVersion.size()) {
    return need_more();
  }
  const char digit = data[at + kVersion.size()];
  if (!is_digit(digit)) {
    return bad("a bad HTTP version");
  }
  minor = digit == '0' ? 0 : 1;  // a later minor version is treated as the highest known one (RFC 9110 section 2.5)
  return {Parse::done, at + kVersion.size() + 1};
}

// The form that the method allows (RFC 9112 section 3.2); from an absolute form comes the authority.
Fault check_target(Request& message) {
  const std::string_view target = message.target;
  if (message.method == "CONNECT") {
    return target.front() == '/' || !valid_host(target) ? Fault{"CONNECT wants host:port"} : Fault{};
  }
  if (target.front() == '/' || (target == "*" && message.method == "OPTIONS")) {
    return {};
  }
  const auto scheme = target.find("://");
  if (scheme == std::string_view::npos ||
      !(equals_ignore_case(target.substr(0, scheme), "http") || equals_ignore_case(target.substr(0, scheme), "https"))) {
    return {"a bad request target"};
  }
  const std::string_view rest = target.substr(scheme + 3);
  message.host = rest.substr(0, rest.find_first_of("/?"));
  return message.host.empty() || !valid_host(message.host) ? Fault{"a bad host in the request target"} : Fault{};
}

// request-line = method SP request-target SP HTTP-version CRLF, one blank each.
ParseResult parse_request_line(std::string_view data, std::size_t at, Request& message, const Limits& limits) {
  const std::size_t method = at;
  while (at < data.size() && is_token_char(data[at])) {
    ++at;
  }
  if (at - method > limits.line) {
    return too_large("the method is too long", 414);
  }
  if (at >= data.size()) {
    return need_more();
  }
  if (data[at] != ' ' || at == method) {
    return bad("a bad method");
  }
  message.method = data.substr(method, at - method);
  const std::size_t target = ++at;
  while (at < data.size() && data[at] > ' ' && data[at] < 0x7f && data[at] != '#') {
    ++at;
  }
  if (at - target > limits.line) {
    return too_large("the request target is too long", 414);
  }
  if (at >= data.size()) {
    return need_more();
  }
  if (data[at] != ' ' || at == target) {
    return bad("a bad request target");
  }
  message.target = data.substr(target, at - target);
  const ParseResult version = parse_version(data, at + 1, message.minor);
  if (version.status != Parse::done) {
    return version;
  }
  const Line end = end_line(data, version.consumed, "a bad HTTP version");
  if (end.status == Parse::done) {
    return {Parse::done, end.end};
  }
  return end.status == Parse::bad ? bad(end.fault.why) : need_more();
}

Fault note_host(std::string_view value, bool& seen, std::string_view& host) {
  if (seen) {
    return {"Host twice"};
  }
  seen = true;
  host = value;
  return valid_host(value) ? Fault{} : Fault{"a bad Host"};
}

Fault note_expect(std::string_view value, int minor, bool& expect_continue) {
  if (!equals_ignore_case(value, "100-continue")) {
    return {"an expectation that cannot be met", 417};
  }
  expect_continue = minor > 0;
  return {};
}

// status-line = HTTP-version SP 3DIGIT SP [ reason ] CRLF; the second blank may be missing where there is no reason.
ParseResult parse_status_line(std::string_view data, Response& message) {
  const ParseResult version = parse_version(data, 0, message.minor);
  if (version.status != Parse::done) {
    return version;
  }
  std::size_t at = version.consumed;
  if (data.size() < at + 5) {
    return need_more();
  }
  const std::string_view code = data.substr(at + 1, 3);
  if (data[at] != ' ' || !is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2]) || code[0] == '0' || code[0] > '5') {
    return bad("a bad status line");
  }
  message.status = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  at += 4;
  message.reason = {};
  if (data[at] == ' ') {
    const std::size_t begin = ++at;
    at = end_of_field_text(data, at);
    message.reason = data.substr(begin, at - begin);
  }
  const Line end = end_line(data, at, "a bad status line");
  if (end.status == Parse::done) {
    return {Parse::done, end.end};
  }
  return end.status == Parse::bad ? bad(end.fault.why) : need_more();
}

ParseResult as_bad_gateway(ParseResult result) {
  result.code = 502;
  return result;
}

}  // namespace

ParseResult parse_request(std::string_view data, Request& message, const Limits& limits) {
  message.headers.clear();
  message.host = {};
  message.expect_continue = false;
  // Empty lines before a request are skipped (RFC 9112 section 2.2), a few of them.
  std::size_t start = 0;
  while (start < kMaxEmptyLines * 2 && data.substr(start, 2) == "\r\n") {
    start += 2;
  }
  if (data.size() == start || data.substr(start) == "\r") {
    return need_more();
  }
  const ParseResult first = parse_request_line(data, start, message, limits);
  if (first.status != Parse::done) {
    return first.status == Parse::more && data.size() >= limits.head ? too_large("the request line is too long", 414) : first;
  }
  std::string_view host;
  bool has_host = false;
  Framing framing;
  const ParseResult result = parse_headers(data, first.consumed, message.headers, limits, [&](const Header& header) -> Fault {
    if (header.name.size() == 4 && equals_ignore_case(header.name, "Host")) {
      return note_host(header.value, has_host, host);
    }
    if (header.name.size() == 6 && equals_ignore_case(header.name, "Expect")) {
      return note_expect(header.value, message.minor, message.expect_continue);
    }
    return note_common(header, framing);
  });
  if (result.status != Parse::done) {
    return result;
  }
  if (!has_host && message.minor > 0) {
    return bad("no Host");
  }
  message.host = host;
  Fault fault = check_target(message);
  if (!fault) {
    fault = check_framing(framing, message.minor);
  }
  if (fault) {
    return bad(fault.why, fault.code);
  }
  message.body = framing.chunked ? Body{BodyKind::chunked} : framing.has_length ? Body{BodyKind::length, framing.length} : Body{};
  message.expect_continue = message.expect_continue && message.body.kind != BodyKind::none;
  message.keep_alive = stays_open(framing, message.minor);
  return result;
}

ParseResult parse_response(std::string_view data, Response& message, bool to_head, const Limits& limits) {
  message.headers.clear();
  const ParseResult first = parse_status_line(data, message);
  if (first.status != Parse::done) {
    const bool endless = first.status == Parse::more && data.size() >= limits.line;
    return as_bad_gateway(endless ? too_large("the status line is too long", 502) : first);
  }
  Framing framing;
  const ParseResult result = parse_headers(data, first.consumed, message.headers, limits,
                                           [&framing](const Header& header) { return note_common(header, framing); });
  if (result.status != Parse::done) {
    return as_bad_gateway(result);
  }
  if (const Fault fault = check_framing(framing, message.minor)) {
    return bad(fault.why, 502);
  }
  const bool bodiless = to_head || message.status < 200 || message.status == 204 || message.status == 304;
  message.body = bodiless             ? Body{}
                 : framing.chunked    ? Body{BodyKind::chunked}
                 : framing.has_length ? Body{BodyKind::length, framing.length}
                                      : Body{BodyKind::until_close};
  message.keep_alive = stays_open(framing, message.minor) && message.body.kind != BodyKind::until_close;
  return result;
}

}  // namespace lab::http
