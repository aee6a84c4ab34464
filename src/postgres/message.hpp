// PostgreSQL's frontend/backend protocol, version 3.0, without I/O: what a client of prepared statements needs of it (PostgreSQL 15
// documentation, chapter 55). Debian's static libpq wants GSSAPI and LDAP, which have no static libraries; this is what is left to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::postgres {

// Appended to `out`.
void put_startup(std::string& out, std::string_view user, std::string_view database);
void put_sasl_initial(std::string& out, std::string_view mechanism, std::string_view data);
void put_sasl_response(std::string& out, std::string_view data);
void put_parse(std::string& out, std::string_view statement, std::string_view sql);
// Parameters and results in binary format.
void put_bind(std::string& out, std::string_view statement, const std::vector<std::string_view>& parameters);
void put_execute(std::string& out);
void put_sync(std::string& out);
void put_terminate(std::string& out);

std::string binary_int8(std::int64_t value);  // network order

struct Message {
  char type = 0;
  std::string_view payload;
};

struct Frame {
  enum class Status : std::uint8_t { incomplete, complete, bad } status = Status::incomplete;
  Message message;
  std::size_t size = 0;  // of the whole message
};
// The message at the front of `in`; bad: none can be of that length.
Frame frame(std::string_view in, std::size_t most);

// What an 'R' message asks for, and its data.
struct Authentication {
  enum class Kind : std::uint32_t { ok = 0, sasl = 10, sasl_continue = 11, sasl_final = 12 };
  std::uint32_t kind = 0;
  std::string_view data;
};
std::optional<Authentication> authentication(std::string_view payload);
bool offers(std::string_view sasl_mechanisms, std::string_view mechanism);  // a list of zero-terminated names

// The values of a 'D' message, nothing for NULL; nothing at all when it is malformed.
std::optional<std::vector<std::optional<std::string_view>>> row(std::string_view payload);

struct ServerError {
  std::string code;  // SQLSTATE
  std::string message;
};
ServerError server_error(std::string_view payload);  // of an 'E' message

}  // namespace lab::postgres
