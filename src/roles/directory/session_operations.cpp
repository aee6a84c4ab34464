// What each request of a client does.
#include "ldap/dn.hpp"
#include "session.hpp"
#include "update.hpp"

namespace lab::directory {

namespace {

using ldap::Outcome;
using ldap::ResultCode;

}  // namespace

struct Session::Operations {
  Session& session;

  Next operator()(const ldap::BindRequest& request) const {
    Counters::add(session.around_.counters.binds);
    return session.answer(ldap::op::kBindResponse, session.bind(request));
  }
  Next operator()(const ldap::UnbindRequest&) const { return Next::close; }
  Next operator()(const ldap::AbandonRequest&) const { return Next::request; }  // what it names is answered already
  Next operator()(const ldap::SearchRequest& request) const { return session.search(request); }
  Next operator()(const ldap::CompareRequest& request) const {
    return session.answer(ldap::op::kCompareResponse, session.compare(request));
  }
  Next operator()(const ldap::ExtendedRequest& request) const { return session.extended(request); }
  Next operator()(const ldap::AddRequest& request) const { return session.update(request, ldap::op::kAddResponse); }
  Next operator()(const ldap::ModifyRequest& request) const { return session.update(request, ldap::op::kModifyResponse); }
  Next operator()(const ldap::DeleteRequest& request) const { return session.update(request, ldap::op::kDeleteResponse); }
  Next operator()(const ldap::ModifyDnRequest& request) const { return session.update(request, ldap::op::kModifyDnResponse); }
  template <class Answer>
  Next operator()(const Answer&) const {  // of a server, from a client
    notice_of_disconnection(*session.out_, ResultCode::protocol_error, "not a request");
    return Next::close;
  }
};

Session::Next Session::perform() { return std::visit(Operations{*this}, message_.operation); }

// Codes as slapd gives them. A failed bind leaves the connection anonymous (RFC 4513 section 4).
Outcome Session::bind(const ldap::BindRequest& request) {
  identity_.clear();
  normal_identity_.clear();
  if (request.version != 3) {
    return {ResultCode::protocol_error, {}, "only LDAP version 3 is spoken"};
  }
  if (!request.mechanism.empty()) {
    return bind_external(request);
  }
  std::optional<std::string> name = around_.tree.schema().normalize_dn(request.name);
  if (!name) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
  }
  if (name->empty()) {
    return {request.password.empty() ? ResultCode::success : ResultCode::invalid_credentials, {}, {}};
  }
  if (request.password.empty()) {  // RFC 4513 section 5.1.2: nobody is logged in by an empty password
    return {ResultCode::unwilling_to_perform, {}, "unauthenticated bind (DN with no password) disallowed"};
  }
  const auto lock = around_.tree.reading();
  const EntryId id = around_.tree.find(*name);
  if (!password_matches(*name, request.password)) {
    return {ResultCode::invalid_credentials, {}, {}};
  }
  identity_ = id != kNoEntry ? std::string(around_.tree[id].dn()) : around_.tree.schema().names_of(request.name)->pretty;
  normal_identity_ = std::move(*name);
  return {};
}

bool Session::password_matches(std::string_view normal_dn, const std::string& given) {
  const Authority& admin = around_.authority;
  if (!admin.password.empty() && normal_dn == admin.normal_dn) {
    return around_.passwords.matches(admin.password, given);
  }
  const EntryId id = around_.tree.find(normal_dn);
  return id != kNoEntry && any_attribute(around_.tree[id], [&](const AttributeType& type, std::string_view partial) {
           return type.secret && any_value(partial, [&](std::string_view stored) { return around_.passwords.matches(stored, given); });
         });
}

// RFC 4422 appendix A: who it is the transport says. An authorization identity, if given, has to be the same one.
Outcome Session::bind_external(const ldap::BindRequest& request) {
  if (request.mechanism != "EXTERNAL") {
    return {ResultCode::auth_method_not_supported, {}, "SASL mechanisms here: EXTERNAL, on the Unix socket"};
  }
  if (transport_.external.empty()) {
    return {ResultCode::inappropriate_authentication, {}, "nothing outside LDAP tells who this is: use the Unix socket"};
  }
  if (!request.credentials.empty() && request.credentials != "dn:" + transport_.external) {
    return {ResultCode::insufficient_access_rights, {}, "not authorized to be somebody else"};
  }
  identity_ = transport_.external;
  normal_identity_ = around_.tree.schema().normalize_dn(identity_).value_or(identity_);
  return {};
}

Session::Next Session::search(const ldap::SearchRequest& request) {
  Counters::add(around_.counters.searches);
  if (controls_.paged && !controls_.paged->cookie.empty()) {
    if (resting_ == nullptr || controls_.paged->cookie != cookie_) {
      return answer(ldap::op::kSearchDone, {ResultCode::unwilling_to_perform, {}, "paged results cookie is invalid or old"});
    }
    if (controls_.paged->size == 0) {  // RFC 2696 section 3: given up
      resting_.reset();
      return answer(ldap::op::kSearchDone, {}, {ldap::paged_response({})});
    }
    search_ = std::move(resting_);
    search_->next_page(message_.id, controls_.paged->size);
    return go_on(*out_, now_ns_);
  }
  {
    const auto lock = around_.tree.reading();
    search_ = std::make_unique<Search>(around_.tree, message_.id, request, controls_,
                                       Search::Viewer{is_administrator(), !transport_.external.empty()}, now_ns_);
  }
  return go_on(*out_, now_ns_);
}

Outcome Session::compare(const ldap::CompareRequest& request) const {
  const Tree& tree = around_.tree;
  const auto lock = tree.reading();
  const std::optional<std::string> name = tree.schema().normalize_dn(request.dn);
  if (!name) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
  }
  const auto type = tree.schema().describe(request.attribute);
  if (type == nullptr) {
    return {ResultCode::undefined_attribute_type, {}, "attribute description undefined"};
  }
  if (type->equality == Matching::none) {
    return {ResultCode::inappropriate_matching, {}, "the attribute has no equality rule"};
  }
  if (!tree.schema().is_valid(type->syntax, request.value)) {
    return {ResultCode::invalid_attribute_syntax, {}, "value does not conform to assertion syntax"};
  }
  if (name->empty()) {
    return compare_in(request, {tree, tree.root_dse(!transport_.external.empty())});
  }
  if (*name == "cn=subschema") {
    return compare_in(request, {tree, tree.subschema()});
  }
  const EntryId id = tree.find(*name);
  if (id == kNoEntry) {
    const EntryId above = tree.nearest_above(*name);
    return {ResultCode::no_such_object, above == kNoEntry ? std::string() : std::string(tree[above].dn()), {}};
  }
  return compare_in(request, {tree, tree[id], id});
}

Outcome Session::compare_in(const ldap::CompareRequest& request, const EntryView& view) const {
  const Schema& schema = view.tree.schema();
  const auto type = schema.describe(request.attribute);
  if (type->secret && !is_administrator()) {
    return {ResultCode::insufficient_access_rights, {}, {}};
  }
  if (controls_.assertion && evaluate(prepare(schema, *controls_.assertion, false), view) != Truth::yes) {
    return {ResultCode::assertion_failed, {}, {}};
  }
  if (type->name == "entryDN" || type->name == "subschemaSubentry") {
    return {ResultCode::unwilling_to_perform, {}, type->name + " compare not supported"};
  }
  const bool held = evaluate(prepare(schema, ldap::present(request.attribute), true), view) == Truth::yes ||
                    (view.id != kNoEntry && type->operational && !view.tree.implied_value(*type, view.id).empty());
  if (!held) {
    return {ResultCode::no_such_attribute, {}, {}};
  }
  const Matcher matcher = prepare(schema, ldap::equality(request.attribute, request.value), true);
  return {evaluate(matcher, view) == Truth::yes ? ResultCode::compare_true : ResultCode::compare_false, {}, {}};
}

template <class Request>
Session::Next Session::update(const Request& request, ber::Tag response) {
  const auto lock = around_.tree.writing();
  Update update(around_.tree, {identity_, is_administrator()}, controls_);
  const Outcome outcome = update.apply(request);
  return answer(response, outcome, update.response_controls());
}

Session::Next Session::extended(const ldap::ExtendedRequest& request) {
  if (request.oid == ldap::kStartTls) {
    return start_tls();
  }
  if (request.oid == ldap::kCancel) {  // what it could name is answered already
    return answer(ldap::op::kExtendedResponse, {ResultCode::no_such_operation, {}, "no such operation is under way"});
  }
  if (request.oid != ldap::kWhoAmI) {
    return answer(ldap::op::kExtendedResponse, {ResultCode::protocol_error, {}, "unsupported extended operation"});
  }
  around_.counters.count_result(static_cast<int>(ResultCode::success));
  const std::string who = identity_.empty() ? std::string() : "dn:" + identity_;
  ldap::encode(*out_, {message_.id, ldap::Response{ldap::op::kExtendedResponse, {}, {}, who}, {}});
  return Next::request;
}

Session::Next Session::start_tls() {
  Outcome outcome;
  if (transport_.tls) {
    outcome = {ResultCode::operations_error, {}, "TLS already started"};
  } else if (!transport_.can_start_tls) {
    outcome = {ResultCode::protocol_error, {}, "unsupported extended operation: there is no certificate"};
  }
  around_.counters.count_result(static_cast<int>(outcome.code));
  ldap::encode(*out_, {message_.id, ldap::Response{ldap::op::kExtendedResponse, outcome, std::string(ldap::kStartTls), {}}, {}});
  return outcome.code == ResultCode::success ? Next::start_tls : Next::request;
}

}  // namespace lab::directory
