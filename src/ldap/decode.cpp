#include "ldap/message.hpp"

#include <limits>

namespace lab::ldap {

namespace {

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxControls = 32;

int bounded(ber::Reader& body, std::int64_t max, ber::Tag tag = ber::kInteger) {
  const std::int64_t value = body.integer(tag);
  if (value < 0 || value > max) {
    body.fail();
    return 0;
  }
  return static_cast<int>(value);
}

BindRequest read_bind(ber::Reader& body) {
  BindRequest bind;
  bind.version = bounded(body, 127);
  bind.name = body.read(ber::kOctetString);
  if (body.peek() == ber::context(0)) {
    bind.password = body.read(ber::context(0));
  } else {
    ber::Reader sasl = body.open(ber::context(3) | ber::kConstructed);
    bind.mechanism = sasl.read(ber::kOctetString);
    if (!sasl.done()) {
      bind.credentials = sasl.read(ber::kOctetString);
    }
    if (!sasl.ok() || bind.mechanism.empty()) {
      body.fail();
    }
  }
  return bind;
}

SearchRequest read_search(ber::Reader& body, FilterStatus& status) {
  SearchRequest search;
  search.base = body.read(ber::kOctetString);
  search.scope = static_cast<Scope>(bounded(body, 3, ber::kEnumerated));
  search.dereference = bounded(body, 3, ber::kEnumerated);
  search.size_limit = bounded(body, kMaxInt);
  search.time_limit = bounded(body, kMaxInt);
  search.types_only = body.boolean();
  status = body.ok() ? read_filter(body, search.filter) : FilterStatus::malformed;
  if (status != FilterStatus::good) {
    return search;
  }
  ber::Reader attributes = body.open(ber::kSequence);
  while (!attributes.done()) {
    search.attributes.emplace_back(attributes.read(ber::kOctetString));
  }
  if (!attributes.ok()) {
    body.fail();
  }
  return search;
}

CompareRequest read_compare(ber::Reader& body) {
  CompareRequest compare;
  compare.dn = body.read(ber::kOctetString);
  ber::Reader assertion = body.open(ber::kSequence);
  compare.attribute = assertion.read(ber::kOctetString);
  compare.value = assertion.read(ber::kOctetString);
  if (!assertion.ok() || !assertion.done()) {
    body.fail();
  }
  return compare;
}

ExtendedRequest read_extended(ber::Reader& body) {
  ExtendedRequest extended;
  extended.oid = body.read(ber::context(0));
  if (body.peek() == ber::context(1)) {
    extended.value = body.read(ber::context(1));
  }
  return extended;
}

Attribute read_attribute(ber::Reader attribute, ber::Reader& within) {
  Attribute result;
  result.type = attribute.read(ber::kOctetString);
  ber::Reader values = attribute.open(ber::kSet);
  while (!values.done()) {
    result.values.emplace_back(values.read(ber::kOctetString));
  }
  if (!attribute.ok() || !attribute.done() || !values.ok()) {
    within.fail();
  }
  return result;
}

std::vector<Attribute> read_attributes(ber::Reader& body) {
  std::vector<Attribute> result;
  ber::Reader attributes = body.open(ber::kSequence);
  while (!attributes.done()) {
    result.push_back(read_attribute(attributes.open(ber::kSequence), attributes));
  }
  if (!attributes.ok()) {
    body.fail();
  }
  return result;
}

SearchEntry read_entry(ber::Reader& body) {
  SearchEntry entry;
  entry.dn = body.read(ber::kOctetString);
  entry.attributes = read_attributes(body);
  return entry;
}

AddRequest read_add(ber::Reader& body) {
  AddRequest add;
  add.dn = body.read(ber::kOctetString);
  add.attributes = read_attributes(body);
  return add;
}

ModifyRequest read_modify(ber::Reader& body) {
  ModifyRequest modify;
  modify.dn = body.read(ber::kOctetString);
  ber::Reader changes = body.open(ber::kSequence);
  while (!changes.done()) {
    ber::Reader change = changes.open(ber::kSequence);
    Change& into = modify.changes.emplace_back();
    into.kind = static_cast<Change::Kind>(bounded(change, 3, ber::kEnumerated));
    into.attribute = read_attribute(change.open(ber::kSequence), change);
    if (!change.ok() || !change.done()) {
      changes.fail();
    }
  }
  if (!changes.ok()) {
    body.fail();
  }
  return modify;
}

ModifyDnRequest read_modify_dn(ber::Reader& body) {
  ModifyDnRequest rename;
  rename.dn = body.read(ber::kOctetString);
  rename.new_rdn = body.read(ber::kOctetString);
  rename.delete_old_rdn = body.boolean();
  if (body.peek() == ber::context(0)) {
    rename.new_superior = body.read(ber::context(0));
  }
  return rename;
}

Response read_response(ber::Reader& body, ber::Tag tag) {
  constexpr ber::Tag kReferral = ber::context(3) | ber::kConstructed;
  constexpr ber::Tag kSaslCredentials = ber::context(7);
  Response response{tag, {}, {}, {}};
  response.outcome.code = static_cast<ResultCode>(bounded(body, kMaxInt, ber::kEnumerated));
  response.outcome.matched_dn = body.read(ber::kOctetString);
  response.outcome.diagnostic = body.read(ber::kOctetString);
  if (body.peek() == kReferral || body.peek() == kSaslCredentials) {
    body.read(body.peek());
  }
  if (tag == op::kExtendedResponse && body.peek() == ber::context(10)) {
    response.oid = body.read(ber::context(10));
  }
  if (tag == op::kExtendedResponse && body.peek() == ber::context(11)) {
    response.value = body.read(ber::context(11));
  }
  return response;
}

SearchReference read_reference(ber::Reader& body) {
  SearchReference reference;
  while (!body.done()) {
    reference.urls.emplace_back(body.read(ber::kOctetString));
  }
  return reference;
}

// The content of an integer without its tag, as AbandonRequest has it.
AbandonRequest read_abandon(ber::Reader& body, std::string_view content) {
  std::string element;
  ber::Writer(element).text(content, ber::kInteger);
  ber::Reader id(element);
  const AbandonRequest abandon{bounded(id, kMaxInt)};
  body = ber::Reader({});
  if (!id.ok()) {
    body.fail();
  }
  return abandon;
}

DeleteRequest read_delete(ber::Reader& body, std::string_view content) {
  body = ber::Reader({});
  return {std::string(content)};
}

// False when the tag is of no operation.
bool read_operation(Operation& into, ber::Tag tag, std::string_view content, ber::Reader& body, FilterStatus& filter) {
  switch (tag) {
    case op::kBindRequest: into = read_bind(body); return true;
    case op::kUnbindRequest: into = UnbindRequest{}; return true;
    case op::kSearchRequest: into = read_search(body, filter); return true;
    case op::kCompareRequest: into = read_compare(body); return true;
    case op::kAbandonRequest: into = read_abandon(body, content); return true;
    case op::kExtendedRequest: into = read_extended(body); return true;
    case op::kAddRequest: into = read_add(body); return true;
    case op::kModifyRequest: into = read_modify(body); return true;
    case op::kDeleteRequest: into = read_delete(body, content); return true;
    case op::kModifyDnRequest: into = read_modify_dn(body); return true;
    case op::kSearchEntry: into = read_entry(body); return true;
    case op::kSearchReference: into = read_reference(body); return true;
    case op::kBindResponse:
    case op::kSearchDone:
    case op::kModifyResponse:
    case op::kAddResponse:
    case op::kDeleteResponse:
    case op::kModifyDnResponse:
    case op::kCompareResponse:
    case op::kExtendedResponse: into = read_response(body, tag); return true;
    default: return false;
  }
}

void read_controls(ber::Reader& message, std::vector<Control>& into) {
  if (message.done()) {
    return;
  }
  ber::Reader controls = message.open(ber::context(0) | ber::kConstructed);
  while (!controls.done()) {
    ber::Reader control = controls.open(ber::kSequence);
    Control& one = into.emplace_back();
    one.oid = control.read(ber::kOctetString);
    one.critical = control.peek() == ber::kBoolean && control.boolean();
    if (!control.done()) {
      one.value = control.read(ber::kOctetString);
    }
    if (!control.ok() || !control.done() || into.size() > kMaxControls) {
      controls.fail();
    }
  }
  if (!controls.ok()) {
    message.fail();
  }
}

}  // namespace

ber::Tag response_tag(ber::Tag request) {
  switch (request) {
    case op::kUnbindRequest:
    case op::kAbandonRequest: return 0;
    case op::kDeleteRequest: return op::kDeleteResponse;
    case op::kSearchRequest: return op::kSearchDone;
    default: return static_cast<ber::Tag>(request + 1);
  }
}

ber::Frame frame(std::string_view buffer, std::size_t max_size) {
  if (!buffer.empty() && static_cast<ber::Tag>(buffer.front()) != ber::kSequence) {
    return {ber::Frame::Status::malformed};
  }
  return ber::frame(buffer, max_size);
}

boost::system::result<Message, Malformed> decode(std::string_view bytes) {
  ber::Reader outer(bytes);
  ber::Reader body = outer.open(ber::kSequence);
  Message message;
  message.id = bounded(body, kMaxInt);
  ber::Tag tag = 0;
  const std::string_view content = body.any(tag);
  if (!outer.ok() || !outer.done() || !body.ok()) {
    return Malformed{"not an LDAP message"};
  }
  ber::Reader operation(content);
  FilterStatus filter = FilterStatus::good;
  if (!read_operation(message.operation, tag, content, operation, filter)) {
    return Malformed{"unknown operation"};
  }
  if (filter == FilterStatus::too_complex) {
    return Malformed{"filter nested too deeply or too large", message.id, response_tag(tag)};
  }
  if (!operation.ok() || !operation.done()) {
    return Malformed{"malformed operation"};
  }
  read_controls(body, message.controls);
  if (!body.ok() || !body.done()) {
    return Malformed{"malformed controls"};
  }
  return message;
}

void throw_exception_from_error(const Malformed& error, const boost::source_location& at) {
  lab::throw_exception_from_error(Error{error.what, {}, {}, {}}, at);
}

}  // namespace lab::ldap
