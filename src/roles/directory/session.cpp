#include "session.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

using ldap::Outcome;
using ldap::ResultCode;

constexpr std::size_t kStepBytes = std::size_t{64} * 1024;
constexpr std::size_t kStepEntries = 2'000;

// Of the response to a decoded request; 0: none is sent, or it is no request.
struct ResponseTag {
  ber::Tag operator()(const ldap::BindRequest&) const { return ldap::op::kBindResponse; }
  ber::Tag operator()(const ldap::SearchRequest&) const { return ldap::op::kSearchDone; }
  ber::Tag operator()(const ldap::CompareRequest&) const { return ldap::op::kCompareResponse; }
  ber::Tag operator()(const ldap::ExtendedRequest&) const { return ldap::op::kExtendedResponse; }
  ber::Tag operator()(const ldap::AddRequest&) const { return ldap::op::kAddResponse; }
  ber::Tag operator()(const ldap::ModifyRequest&) const { return ldap::op::kModifyResponse; }
  ber::Tag operator()(const ldap::DeleteRequest&) const { return ldap::op::kDeleteResponse; }
  ber::Tag operator()(const ldap::ModifyDnRequest&) const { return ldap::op::kModifyDnResponse; }
  template <class T>
  ber::Tag operator()(const T&) const {
    return 0;
  }
};

struct Subject {  // of an operation, for faults
  Fault::Operation operation;
  std::string_view dn;
};

struct SubjectOf {
  using Op = Fault::Operation;
  std::optional<Subject> operator()(const ldap::BindRequest& r) const { return Subject{Op::bind, r.name}; }
  std::optional<Subject> operator()(const ldap::SearchRequest& r) const { return Subject{Op::search, r.base}; }
  std::optional<Subject> operator()(const ldap::CompareRequest& r) const { return Subject{Op::compare, r.dn}; }
  std::optional<Subject> operator()(const ldap::ExtendedRequest&) const { return Subject{Op::extended, {}}; }
  std::optional<Subject> operator()(const ldap::AddRequest& r) const { return Subject{Op::add, r.dn}; }
  std::optional<Subject> operator()(const ldap::ModifyRequest& r) const { return Subject{Op::modify, r.dn}; }
  std::optional<Subject> operator()(const ldap::DeleteRequest& r) const { return Subject{Op::remove, r.dn}; }
  std::optional<Subject> operator()(const ldap::ModifyDnRequest& r) const { return Subject{Op::rename, r.dn}; }
  template <class T>
  std::optional<Subject> operator()(const T&) const {
    return std::nullopt;
  }
};

// The message id that a cancel request names (RFC 3909); 0: it names none.
std::int64_t id_to_cancel(const ldap::ExtendedRequest& request) {
  ber::Reader outer(request.value ? std::string_view(*request.value) : std::string_view());
  ber::Reader body = outer.open(ber::kSequence);
  const std::int64_t id = body.integer();
  return outer.ok() && body.ok() && body.done() ? id : 0;
}

}  // namespace

Session::Next Session::handle(std::string_view message, std::string& out, std::int64_t now_ns) {
  auto decoded = ldap::decode(message);
  out_ = &out;
  now_ns_ = now_ns;
  controls_ = {};
  if (!decoded) {
    const ldap::Malformed& malformed = decoded.error();
    message_.id = malformed.id;
    if (malformed.response != 0) {
      return answer(malformed.response, {ResultCode::protocol_error, {}, malformed.what});
    }
    notice_of_disconnection(out, ResultCode::protocol_error, malformed.what);
    return Next::close;
  }
  message_ = std::move(*decoded);
  if (message_.id == 0) {
    notice_of_disconnection(out, ResultCode::protocol_error, "message id 0 is the server's");
    return Next::close;
  }
  const ber::Tag response = std::visit(ResponseTag{}, message_.operation);
  if (response != 0 && !message_.controls.empty()) {
    if (const Outcome outcome = ldap::read_controls(message_.controls, controls_); outcome.code != ResultCode::success) {
      return answer(response, outcome);
    }
  }
  if (!around_.faults.none() && judge_faults()) {
    paused_ = true;
    return verdict_.answer == Fault::Answer::hang ? Next::hang : Next::pause;
  }
  return perform();
}

// False: nothing goes wrong.
bool Session::judge_faults() {
  verdict_ = {};
  const std::optional<Subject> subject = std::visit(SubjectOf{}, message_.operation);
  if (!subject) {
    return false;
  }
  const std::optional<std::string> normal = around_.tree.schema().normalize_dn(subject->dn);
  verdict_ = around_.faults.judge(subject->operation, normal ? std::string_view(*normal) : subject->dn);
  return verdict_.delay_ns > 0 || verdict_.answer != Fault::Answer::usual;
}

Session::Next Session::resume(std::string& out, std::int64_t now_ns) {
  paused_ = false;
  out_ = &out;
  now_ns_ = now_ns;
  const ber::Tag response = std::visit(ResponseTag{}, message_.operation);
  switch (verdict_.answer) {
    case Fault::Answer::busy: return answer(response, {ResultCode::busy, {}, "a fault, on purpose"});
    case Fault::Answer::unavailable: return answer(response, {ResultCode::unavailable, {}, "a fault, on purpose"});
    case Fault::Answer::drop: return Next::drop;
    default: return perform();
  }
}

Session::Next Session::go_on(std::string& out, std::int64_t now_ns) {
  const auto lock = around_.tree.reading();
  const std::string next_cookie = "page" + std::to_string(pages_ + 1);
  switch (search_->step(out, kStepBytes, kStepEntries, now_ns, next_cookie)) {
    case Search::Step::more: return Next::search;
    case Search::Step::page:
      resting_ = std::move(search_);
      cookie_ = next_cookie;
      ++pages_;
      around_.counters.count_result(0);
      return Next::request;
    case Search::Step::done: break;
  }
  around_.counters.count_result(static_cast<int>(search_->code()));
  search_.reset();
  return Next::request;
}

bool Session::interrupt(std::string_view message, std::string& out) {
  const auto decoded = ldap::decode(message);
  const bool under_way = search_ != nullptr || paused_;
  if (!decoded || !under_way) {
    return false;
  }
  const auto* abandon = std::get_if<ldap::AbandonRequest>(&decoded->operation);
  const auto* extended = std::get_if<ldap::ExtendedRequest>(&decoded->operation);
  const bool cancels = extended != nullptr && extended->oid == ldap::kCancel && id_to_cancel(*extended) == message_.id;
  if (!cancels && (abandon == nullptr || abandon->id != message_.id)) {
    return false;
  }
  search_.reset();
  paused_ = false;
  if (cancels) {
    around_.counters.count_result(static_cast<int>(ResultCode::canceled));
    around_.counters.count_result(0);
    ldap::encode_response(out, message_.id, std::visit(ResponseTag{}, message_.operation), {ResultCode::canceled, {}, {}});
    ldap::encode_response(out, decoded->id, ldap::op::kExtendedResponse, {});
  }
  return true;
}

Session::Next Session::answer(ber::Tag response, const Outcome& outcome, const std::vector<ldap::Control>& controls) {
  around_.counters.count_result(static_cast<int>(outcome.code));
  ldap::encode_response(*out_, message_.id, response, outcome, controls);
  return Next::request;
}

void Session::notice_of_disconnection(std::string& out, ResultCode code, const std::string& why) {
  const std::string oid(ldap::kNoticeOfDisconnection);
  ldap::encode(out, {0, ldap::Response{ldap::op::kExtendedResponse, {code, {}, why}, oid, {}}, {}});
}

}  // namespace lab::directory
