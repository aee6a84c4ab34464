#include "postgres/message.hpp"

namespace lab::postgres {

namespace {

constexpr std::uint32_t kVersion = 3U << 16U;
constexpr std::size_t kHeader = 5;  // type and length

void put16(std::string& out, std::uint16_t value) {
  out.push_back(static_cast<char>(value >> 8U));
  out.push_back(static_cast<char>(value & 0xFFU));
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, static_cast<std::uint16_t>(value >> 16U));
  put16(out, static_cast<std::uint16_t>(value & 0xFFFFU));
}

void put_text(std::string& out, std::string_view text) {
  out.append(text);
  out.push_back('\0');
}

std::uint32_t number(std::string_view bytes, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// A message whose length is filled in at the end.
class Writer {
 public:
  Writer(std::string& out, char type) : out_(out) {
    out_.push_back(type);
    begin_ = out_.size();
    put32(out_, 0);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    std::string length;
    put32(length, static_cast<std::uint32_t>(out_.size() - begin_));
    out_.replace(begin_, length.size(), length);
  }

 private:
  std::string& out_;
  std::size_t begin_;
};

}  // namespace

void put_startup(std::string& out, std::string_view user, std::string_view database) {
  std::string body;
  put32(body, kVersion);
  for (const std::string_view text : {std::string_view("user"), user, std::string_view("database"), database}) {
    put_text(body, text);
  }
  body.push_back('\0');
  put32(out, static_cast<std::uint32_t>(body.size() + 4));  // the one message without a type
  out += body;
}

void put_sasl_initial(std::string& out, std::string_view mechanism, std::string_view data) {
  const Writer message(out, 'p');
  put_text(out, mechanism);
  put32(out, static_cast<std::uint32_t>(data.size()));
  out.append(data);
}

void put_sasl_response(std::string& out, std::string_view data) {
  const Writer message(out, 'p');
  out.append(data);
}

void put_parse(std::string& out, std::string_view statement, std::string_view sql) {
  const Writer message(out, 'P');
  put_text(out, statement);
  put_text(out, sql);
  put16(out, 0);  // the server finds out the parameters' types
}

void put_bind(std::string& out, std::string_view statement, const std::vector<std::string_view>& parameters) {
  const Writer message(out, 'B');
  put_text(out, "");  // the unnamed portal
  put_text(out, statement);
  put16(out, 1);
  put16(out, 1);  // all parameters are binary
  put16(out, static_cast<std::uint16_t>(parameters.size()));
  for (const std::string_view parameter : parameters) {
    put32(out, static_cast<std::uint32_t>(parameter.size()));
    out.append(parameter);
  }
  put16(out, 1);
  put16(out, 1);  // and so are all results
}

void put_execute(std::string& out) {
  const Writer message(out, 'E');
  put_text(out, "");
  put32(out, 0);  // all rows
}

void put_sync(std::string& out) { const Writer message(out, 'S'); }

void put_terminate(std::string& out) { const Writer message(out, 'X'); }

std::string binary_int8(std::int64_t value) {
  std::string bytes;
  put32(bytes, static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32U));
  put32(bytes, static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) & 0xFFFFFFFFU));
  return bytes;
}

Frame frame(std::string_view in, std::size_t most) {
  Frame found;
  if (in.size() < kHeader) {
    return found;
  }
  const std::size_t length = number(in.substr(1), 4);
  if (length < 4 || length > most) {
    found.status = Frame::Status::bad;
  } else if (in.size() > length) {
    found = {Frame::Status::complete, {in.front(), in.substr(kHeader, length - 4)}, length + 1};
  }
  return found;
}

std::optional<Authentication> authentication(std::string_view payload) {
  return payload.size() < 4 ? std::nullopt : std::optional(Authentication{number(payload, 4), payload.substr(4)});
}

bool offers(std::string_view sasl_mechanisms, std::string_view mechanism) {
  while (!sasl_mechanisms.empty() && sasl_mechanisms.front() != '\0') {
    const auto end = sasl_mechanisms.find('\0');
    if (sasl_mechanisms.substr(0, end) == mechanism) {
      return true;
    }
    sasl_mechanisms.remove_prefix(end == std::string_view::npos ? sasl_mechanisms.size() : end + 1);
  }
  return false;
}

std::optional<std::vector<std::optional<std::string_view>>> row(std::string_view payload) {
  constexpr std::uint32_t kNull = 0xFFFFFFFFU;
  std::vector<std::optional<std::string_view>> values;
  if (payload.size() < 2) {
    return std::nullopt;
  }
  std::uint32_t count = number(payload, 2);
  for (payload.remove_prefix(2); count > 0; --count) {
    if (payload.size() < 4) {
      return std::nullopt;
    }
    const std::uint32_t length = number(payload, 4);
    payload.remove_prefix(4);
    if (length == kNull) {
      values.emplace_back();
      continue;
    }
    if (length > payload.size()) {
      return std::nullopt;
    }
    values.emplace_back(payload.substr(0, length));
    payload.remove_prefix(length);
  }
  return payload.empty() ? std::optional(std::move(values)) : std::nullopt;
}

ServerError server_error(std::string_view payload) {
  ServerError error;
  while (!payload.empty() && payload.front() != '\0') {
    const char field = payload.front();
    const auto end = payload.find('\0');
    const std::string_view text = payload.substr(1, end == std::string_view::npos ? end : end - 1);
    if (field == 'C') {
      error.code = text;
    } else if (field == 'M') {
      error.message = text;
    }
    payload.remove_prefix(end == std::string_view::npos ? payload.size() : end + 1);
  }
  return error;
}

}  // namespace lab::postgres
