// LDAP messages (RFC 4511) as values, both ways: requests and responses, client and server.
#pragma once

#include "ldap/filter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab::ldap {

enum class ResultCode : int {
  success = 0,
  operations_error = 1,
  protocol_error = 2,
  time_limit_exceeded = 3,
  size_limit_exceeded = 4,
  compare_false = 5,
  compare_true = 6,
  auth_method_not_supported = 7,
  stronger_auth_required = 8,
  admin_limit_exceeded = 11,
  unavailable_critical_extension = 12,
  no_such_attribute = 16,
  undefined_attribute_type = 17,
  inappropriate_matching = 18,
  constraint_violation = 19,
  attribute_or_value_exists = 20,
  invalid_attribute_syntax = 21,
  no_such_object = 32,
  invalid_dn_syntax = 34,
  inappropriate_authentication = 48,
  invalid_credentials = 49,
  insufficient_access_rights = 50,
  busy = 51,
  unavailable = 52,
  unwilling_to_perform = 53,
  naming_violation = 64,
  object_class_violation = 65,
  not_allowed_on_non_leaf = 66,
  entry_already_exists = 68,
  object_class_mods_prohibited = 69,
  affects_multiple_dsas = 71,
  other = 80,
  canceled = 118,           // RFC 3909
  no_such_operation = 119,  // RFC 3909
  cannot_cancel = 121,      // RFC 3909
  assertion_failed = 122,   // RFC 4528
};

// Tags of the protocolOp choice.
namespace op {
constexpr ber::Tag kBindRequest = 0x60, kBindResponse = 0x61, kUnbindRequest = 0x42, kSearchRequest = 0x63, kSearchEntry = 0x64,
                   kSearchDone = 0x65, kModifyRequest = 0x66, kModifyResponse = 0x67, kAddRequest = 0x68, kAddResponse = 0x69,
                   kDeleteRequest = 0x4a, kDeleteResponse = 0x6b, kModifyDnRequest = 0x6c, kModifyDnResponse = 0x6d, kCompareRequest = 0x6e,
                   kCompareResponse = 0x6f, kAbandonRequest = 0x50, kSearchReference = 0x73, kExtendedRequest = 0x77,
                   kExtendedResponse = 0x78;
}

constexpr std::string_view kWhoAmI = "1.3.6.1.4.1.4203.1.11.3";                // RFC 4532
constexpr std::string_view kStartTls = "1.3.6.1.4.1.1466.20037";               // RFC 4511 section 4.14
constexpr std::string_view kCancel = "1.3.6.1.1.8";                            // RFC 3909
constexpr std::string_view kNoticeOfDisconnection = "1.3.6.1.4.1.1466.20036";  // RFC 4511 section 4.4.1

struct Attribute {
  std::string type;  // attribute description
  std::vector<std::string> values;
  bool operator==(const Attribute&) const = default;
};

struct BindRequest {
  int version = 3;
  std::string name;
  std::string password;     // simple
  std::string mechanism;    // SASL; empty: simple
  std::string credentials;  // SASL
  bool operator==(const BindRequest&) const = default;
};

struct UnbindRequest {
  bool operator==(const UnbindRequest&) const = default;
};

enum class Scope {
  base = 0,
  one_level = 1,
  subtree = 2,
  children = 3
};  // children: without the base (draft-sermersheim-ldap-subordinate-scope)

struct SearchRequest {
  std::string base;
  Scope scope = Scope::subtree;
  int dereference = 0;
  int size_limit = 0;  // entries; 0: none
  int time_limit = 0;  // seconds; 0: none
  bool types_only = false;
  Filter filter;
  std::vector<std::string> attributes;  // empty: all user attributes
  bool operator==(const SearchRequest&) const = default;
};

struct CompareRequest {
  std::string dn, attribute, value;
  bool operator==(const CompareRequest&) const = default;
};

struct AbandonRequest {
  int id = 0;
  bool operator==(const AbandonRequest&) const = default;
};

struct ExtendedRequest {
  std::string oid;
  std::optional<std::string> value;
  bool operator==(const ExtendedRequest&) const = default;
};

struct AddRequest {
  std::string dn;
  std::vector<Attribute> attributes;
  bool operator==(const AddRequest&) const = default;
};

struct Change {
  enum class Kind { add = 0, remove = 1, replace = 2, increment = 3 } kind = Kind::add;  // increment: RFC 4525
  Attribute attribute;
  bool operator==(const Change&) const = default;
};

struct ModifyRequest {
  std::string dn;
  std::vector<Change> changes;
  bool operator==(const ModifyRequest&) const = default;
};

struct DeleteRequest {
  std::string dn;
  bool operator==(const DeleteRequest&) const = default;
};

struct ModifyDnRequest {
  std::string dn, new_rdn;
  bool delete_old_rdn = false;
  std::optional<std::string> new_superior;
  bool operator==(const ModifyDnRequest&) const = default;
};

struct Outcome {  // LDAPResult
  ResultCode code = ResultCode::success;
  std::string matched_dn;
  std::string diagnostic;
  bool operator==(const Outcome&) const = default;
};

struct SearchEntry {
  std::string dn;
  std::vector<Attribute> attributes;
  bool operator==(const SearchEntry&) const = default;
};

struct Response {  // any message that is an LDAPResult; `tag` says of what
  ber::Tag tag = 0;
  Outcome outcome;
  std::string oid;                   // extended
  std::optional<std::string> value;  // extended
  bool operator==(const Response&) const = default;
};

struct SearchReference {
  std::vector<std::string> urls;
  bool operator==(const SearchReference&) const = default;
};

using Operation = std::variant<BindRequest, UnbindRequest, SearchRequest, CompareRequest, AbandonRequest, ExtendedRequest, AddRequest,
                               ModifyRequest, DeleteRequest, ModifyDnRequest, SearchEntry, SearchReference, Response>;

struct Control {
  std::string oid;
  bool critical = false;
  std::optional<std::string> value;
  bool operator==(const Control&) const = default;
};

struct Message {
  std::int32_t id = 0;  // 1 to 2^31 - 1; 0: unsolicited notification
  Operation operation;
  std::vector<Control> controls;
  bool operator==(const Message&) const = default;
};

// Why bytes are no message. With `response` set, the envelope was good: answer `id` with that tag and protocolError, and go on;
// without, nothing can be trusted any more: notice of disconnection.
struct Malformed {
  std::string what;
  std::int32_t id = 0;
  ber::Tag response = 0;
};

// ber::frame() of a message: what does not begin with a SEQUENCE is malformed at its first byte.
ber::Frame frame(std::string_view buffer, std::size_t max_size);

// `bytes` is one whole message, as frame() delimits it.
boost::system::result<Message, Malformed> decode(std::string_view bytes);

// Appends the message.
void encode(std::string& out, const Message& message);
void encode_response(std::string& out, std::int32_t id, ber::Tag tag, const Outcome& outcome, const std::vector<Control>& controls = {});

// Of the response that answers a request; 0 where none does (unbind, abandon).
ber::Tag response_tag(ber::Tag request);

[[noreturn]] void throw_exception_from_error(const Malformed& error, const boost::source_location& at);

}  // namespace lab::ldap
