#include "ldap/controls.hpp"

#include <algorithm>

namespace lab::ldap {

namespace {

using Reader = ber::Reader;

constexpr std::size_t kMaxSortKeys = 5;

bool read_paged(std::string_view value, RequestControls& into) {
  Reader outer(value);
  Reader body = outer.open(ber::kSequence);
  PagedResults paged;
  const std::int64_t size = body.integer();
  paged.cookie = body.read(ber::kOctetString);
  paged.size = static_cast<int>(std::clamp<std::int64_t>(size, 0, INT32_MAX));
  into.paged = std::move(paged);
  return outer.ok() && outer.done() && body.ok() && body.done() && size >= 0;
}

bool read_sort(std::string_view value, RequestControls& into) {
  Reader outer(value);
  Reader keys = outer.open(ber::kSequence);
  while (!keys.done()) {
    Reader key = keys.open(ber::kSequence);
    SortKey& one = into.sort.emplace_back();
    one.attribute = key.read(ber::kOctetString);
    if (key.peek() == ber::context(0)) {
      one.matching_rule = key.read(ber::context(0));
    }
    if (key.peek() == ber::context(1)) {
      one.reverse = key.boolean(ber::context(1));
    }
    if (!key.ok() || !key.done() || into.sort.size() > kMaxSortKeys) {
      return false;
    }
  }
  return outer.ok() && outer.done() && keys.ok() && !into.sort.empty();
}

bool read_assertion(std::string_view value, RequestControls& into) {
  Reader outer(value);
  into.assertion.emplace();
  return read_filter(outer, *into.assertion) == FilterStatus::good && outer.done();
}

bool read_names(std::string_view value, std::optional<std::vector<std::string>>& into) {
  Reader outer(value);
  Reader names = outer.open(ber::kSequence);
  into.emplace();
  while (!names.done()) {
    into->emplace_back(names.read(ber::kOctetString));
  }
  return outer.ok() && outer.done() && names.ok();
}

struct Known {
  std::string_view oid;
  bool (*read)(std::string_view value, RequestControls& into);
};

constexpr auto kWithoutValue = [](std::string_view value, RequestControls&) { return value.empty(); };

constexpr Known kKnown[] = {
    {kPagedResults, read_paged},
    {kSortRequest, read_sort},
    {kAssertion, read_assertion},
    {kPreRead, [](std::string_view value, RequestControls& into) { return read_names(value, into.pre_read); }},
    {kPostRead, [](std::string_view value, RequestControls& into) { return read_names(value, into.post_read); }},
    {kManageDsaIt, kWithoutValue},
    {kDomainScope, kWithoutValue},
};

}  // namespace

Outcome read_controls(const std::vector<Control>& controls, RequestControls& into) {
  for (auto control = controls.begin(); control != controls.end(); ++control) {
    const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& one) { return one.oid == control->oid; });
    if (known == std::end(kKnown)) {
      if (control->critical) {
        return {ResultCode::unavailable_critical_extension, {}, "critical control is not supported: " + control->oid};
      }
      continue;
    }
    const bool repeated = std::any_of(controls.begin(), control, [&](const Control& earlier) { return earlier.oid == control->oid; });
    if (repeated || !known->read(control->value.value_or(std::string()), into)) {
      return {ResultCode::protocol_error, {}, (repeated ? "a control given twice: " : "a malformed control: ") + control->oid};
    }
    if (known->oid == kPagedResults) {
      into.paged_critical = control->critical;
    }
  }
  return {};
}

Control paged_response(const std::string& cookie) {
  Control control{std::string(kPagedResults), false, std::string()};
  ber::Writer writer(*control.value);
  ber::Writer::Scope scope(writer, ber::kSequence);
  writer.integer(0);  // of the total nobody knows
  writer.text(cookie);
  scope.end();
  return control;
}

Control sort_response(ResultCode code) {
  Control control{std::string(kSortResponse), false, std::string()};
  ber::Writer writer(*control.value);
  ber::Writer::Scope scope(writer, ber::kSequence);
  writer.integer(static_cast<int>(code), ber::kEnumerated);
  scope.end();
  return control;
}

Control read_entry_response(std::string_view oid, const std::string& search_entry) { return {std::string(oid), false, search_entry}; }

std::vector<std::string> supported_controls() {
  std::vector<std::string> oids;
  for (const Known& known : kKnown) {
    oids.emplace_back(known.oid);
  }
  return oids;
}

std::vector<std::string> supported_extensions() { return {std::string(kStartTls), std::string(kWhoAmI), std::string(kCancel)}; }

// Modify-increment (RFC 4525), all operational attributes (RFC 3673), classes in selections (RFC 4529), absolute true and false
// filters (RFC 4526), language tags and ranges (RFC 3866).
std::vector<std::string> supported_features() {
  return {"1.3.6.1.1.14",           "1.3.6.1.4.1.4203.1.5.1", "1.3.6.1.4.1.4203.1.5.2",
          "1.3.6.1.4.1.4203.1.5.3", "1.3.6.1.4.1.4203.1.5.4", "1.3.6.1.4.1.4203.1.5.5"};
}

}  // namespace lab::ldap
