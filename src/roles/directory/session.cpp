#include "session.hpp"

#include "ldap/dn.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

using ldap::Outcome;
using ldap::ResultCode;

constexpr std::size_t kStepBytes = std::size_t{64} * 1024;
constexpr std::size_t kStepEntries = 2'000;

bool has_unknown_critical(const ldap::Message& message) {
  return std::any_of(message.controls.begin(), message.controls.end(), [](const ldap::Control& control) { return control.critical; });
}

// Of the response to a decoded request; 0: none is sent, or it is no request.
struct ResponseTag {
  ber::Tag operator()(const ldap::BindRequest&) const { return ldap::op::kBindResponse; }
  ber::Tag operator()(const ldap::SearchRequest&) const { return ldap::op::kSearchDone; }
  ber::Tag operator()(const ldap::CompareRequest&) const { return ldap::op::kCompareResponse; }
  ber::Tag operator()(const ldap::ExtendedRequest&) const { return ldap::op::kExtendedResponse; }
  ber::Tag operator()(const ldap::OtherRequest& other) const { return other.response; }
  template <class T>
  ber::Tag operator()(const T&) const {
    return 0;
  }
};

}  // namespace

struct Session::Operations {
  Session& session;

  Next operator()(const ldap::BindRequest& request) const {
    Counters::add(session.counters_.binds);
    return session.answer(ldap::op::kBindResponse, session.bind(request));
  }
  Next operator()(const ldap::UnbindRequest&) const { return Next::close; }
  Next operator()(const ldap::AbandonRequest&) const { return Next::request; }  // what it names is answered already
  Next operator()(const ldap::SearchRequest& request) const {
    Counters::add(session.counters_.searches);
    session.search_.emplace(session.tree_, session.id_, request, session.now_ns_);
    return session.go_on(*session.out_, session.now_ns_);
  }
  Next operator()(const ldap::CompareRequest& request) const {
    return session.answer(ldap::op::kCompareResponse, session.compare(request));
  }
  Next operator()(const ldap::ExtendedRequest& request) const { return session.extended(request); }
  Next operator()(const ldap::OtherRequest& request) const {
    return session.answer(request.response, {ResultCode::unwilling_to_perform, {}, "the directory is read-only"});
  }
  template <class Answer>
  Next operator()(const Answer&) const {  // of a server, from a client
    notice_of_disconnection(*session.out_, ResultCode::protocol_error, "not a request");
    return Next::close;
  }
};

Session::Next Session::handle(std::string_view message, std::string& out, std::int64_t now_ns) {
  const auto decoded = ldap::decode(message);
  out_ = &out;
  now_ns_ = now_ns;
  if (!decoded) {
    const ldap::Malformed& malformed = decoded.error();
    id_ = malformed.id;
    if (malformed.response != 0) {
      return answer(malformed.response, {ResultCode::protocol_error, {}, malformed.what});
    }
    notice_of_disconnection(out, ResultCode::protocol_error, malformed.what);
    return Next::close;
  }
  id_ = decoded->id;
  if (id_ == 0) {
    notice_of_disconnection(out, ResultCode::protocol_error, "message id 0 is the server's");
    return Next::close;
  }
  const ber::Tag response = std::visit(ResponseTag{}, decoded->operation);
  if (response != 0 && has_unknown_critical(*decoded)) {
    return answer(response, {ResultCode::unavailable_critical_extension, {}, "critical control is not supported"});
  }
  return std::visit(Operations{*this}, decoded->operation);
}

Session::Next Session::go_on(std::string& out, std::int64_t now_ns) {
  if (!search_->step(out, kStepBytes, kStepEntries, now_ns)) {
    return Next::search;
  }
  counters_.count_result(static_cast<int>(search_->code()));
  search_.reset();
  return Next::request;
}

Session::Next Session::answer(ber::Tag response, const Outcome& outcome) {
  counters_.count_result(static_cast<int>(outcome.code));
  ldap::encode_response(*out_, id_, response, outcome);
  return Next::request;
}

// Codes as slapd gives them. A failed bind leaves the connection anonymous (RFC 4513 section 4).
Outcome Session::bind(const ldap::BindRequest& request) {
  identity_.clear();
  if (request.version != 3) {
    return {ResultCode::protocol_error, {}, "only LDAP version 3 is spoken"};
  }
  if (!request.mechanism.empty()) {
    return {ResultCode::auth_method_not_supported, {}, "no SASL mechanism is offered"};
  }
  const std::optional<std::string> name = ldap::normalize_dn(request.name);
  if (!name) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
  }
  if (name->empty()) {
    return {request.password.empty() ? ResultCode::success : ResultCode::invalid_credentials, {}, {}};
  }
  if (request.password.empty()) {  // RFC 4513 section 5.1.2: nobody is logged in by an empty password
    return {ResultCode::unwilling_to_perform, {}, "unauthenticated bind (DN with no password) disallowed"};
  }
  const EntryId id = tree_.find(*name);
  Outcome refused{ResultCode::invalid_credentials, {}, {}};
  if (id == kNoEntry) {
    return refused;
  }
  const Entry& entry = tree_[id];
  const bool matches = std::any_of(entry.passwords.begin(), entry.passwords.end(),
                                   [this, &request](const Password& stored) { return passwords_.matches(stored, request.password); });
  if (!matches) {
    return refused;
  }
  identity_ = entry.dn;
  return {};
}

Outcome Session::compare(const ldap::CompareRequest& request) const {
  const std::optional<std::string> name = ldap::normalize_dn(request.dn);
  const EntryId id = name ? tree_.find(*name) : kNoEntry;
  if (!name) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
  }
  if (id == kNoEntry) {
    const EntryId above = tree_.nearest_above(*name);
    return {ResultCode::no_such_object, above == kNoEntry ? std::string() : tree_[above].dn, {}};
  }
  const AttributeType* type = tree_.schema().find(request.attribute);
  if (type == nullptr) {
    return {ResultCode::undefined_attribute_type, {}, "attribute description undefined"};
  }
  if (type->secret) {
    return {ResultCode::insufficient_access_rights, {}, {}};
  }
  if (tree_[id].find(*type) == nullptr) {
    return {ResultCode::no_such_attribute, {}, {}};
  }
  const Matcher matcher = prepare(tree_.schema(), ldap::equality(request.attribute, request.value));
  return {evaluate(matcher, tree_[id]) == Truth::yes ? ResultCode::compare_true : ResultCode::compare_false, {}, {}};
}

Session::Next Session::extended(const ldap::ExtendedRequest& request) {
  if (request.oid != ldap::kWhoAmI) {
    return answer(ldap::op::kExtendedResponse, {ResultCode::protocol_error, {}, "unsupported extended operation"});
  }
  counters_.count_result(static_cast<int>(ResultCode::success));
  const std::string who = identity_.empty() ? std::string() : "dn:" + identity_;
  ldap::encode(*out_, {id_, ldap::Response{ldap::op::kExtendedResponse, {}, {}, who}, {}});
  return Next::request;
}

void Session::notice_of_disconnection(std::string& out, ResultCode code, const std::string& why) {
  const std::string oid(ldap::kNoticeOfDisconnection);
  ldap::encode(out, {0, ldap::Response{ldap::op::kExtendedResponse, {code, {}, why}, oid, {}}, {}});
}

}  // namespace lab::directory
