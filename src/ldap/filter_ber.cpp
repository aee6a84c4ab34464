// Filters in messages: RFC 4511 section 4.5.1, context tags 0 to 9.
#include "ldap/filter.hpp"

namespace lab::ldap {

namespace {

using Kind = Filter::Kind;
constexpr ber::Tag constructed(unsigned number) { return ber::context(number) | ber::kConstructed; }
constexpr ber::Tag kAnd = constructed(0), kOr = constructed(1), kNot = constructed(2), kEquality = constructed(3),
                   kSubstrings = constructed(4), kGreater = constructed(5), kLess = constructed(6), kPresent = ber::context(7),
                   kApproximate = constructed(8), kExtensible = constructed(9);

class FilterReader {
 public:
  FilterStatus read(ber::Reader& reader, Filter& filter, int depth) {
    if (depth > kMaxFilterDepth || ++items_ > kMaxFilterItems) {
      return FilterStatus::too_complex;
    }
    ber::Tag tag = 0;
    const std::string_view content = reader.any(tag);
    ber::Reader body(content);
    switch (tag) {
      case kAnd: return children(body, filter, Kind::all_of, depth);
      case kOr: return children(body, filter, Kind::any_of, depth);
      case kNot: return negation(body, filter, depth);
      case kEquality: return assertion(body, filter, Kind::equality);
      case kSubstrings: return substrings(body, filter);
      case kGreater: return assertion(body, filter, Kind::greater_or_equal);
      case kLess: return assertion(body, filter, Kind::less_or_equal);
      case kPresent: filter = present(std::string(content)); return FilterStatus::good;
      case kApproximate: return assertion(body, filter, Kind::approximate);
      case kExtensible: return extensible(body, filter);
      default: return FilterStatus::malformed;
    }
  }

 private:
  static FilterStatus end_of(const ber::Reader& body) { return body.ok() && body.done() ? FilterStatus::good : FilterStatus::malformed; }

  FilterStatus children(ber::Reader& body, Filter& filter, Kind kind, int depth) {
    filter.kind = kind;
    while (!body.done()) {
      const FilterStatus status = read(body, filter.children.emplace_back(), depth + 1);
      if (status != FilterStatus::good) {
        return status;
      }
    }
    return end_of(body);
  }

  FilterStatus negation(ber::Reader& body, Filter& filter, int depth) {
    filter.kind = Kind::negation;
    const FilterStatus status = read(body, filter.children.emplace_back(), depth + 1);
    return status == FilterStatus::good ? end_of(body) : status;
  }

  static FilterStatus assertion(ber::Reader& body, Filter& filter, Kind kind) {
    filter.kind = kind;
    filter.attribute = body.read(ber::kOctetString);
    filter.value = body.read(ber::kOctetString);
    return end_of(body);
  }

  // One initial first, one final last, nothing empty.
  static FilterStatus substrings(ber::Reader& body, Filter& filter) {
    filter.kind = Kind::substrings;
    filter.attribute = body.read(ber::kOctetString);
    ber::Reader pieces = body.open(ber::kSequence);
    if (pieces.done()) {
      return FilterStatus::malformed;
    }
    for (bool first = true; !pieces.done(); first = false) {
      ber::Tag tag = 0;
      const std::string_view piece = pieces.any(tag);
      if (piece.empty() || !filter.final.empty()) {
        return FilterStatus::malformed;
      }
      if (tag == ber::context(0) && first) {
        filter.initial = piece;
      } else if (tag == ber::context(1)) {
        filter.any.emplace_back(piece);
      } else if (tag == ber::context(2)) {
        filter.final = piece;
      } else {
        return FilterStatus::malformed;
      }
    }
    return pieces.ok() ? end_of(body) : FilterStatus::malformed;
  }

  static FilterStatus extensible(ber::Reader& body, Filter& filter) {
    filter.kind = Kind::extensible;
    if (body.peek() == ber::context(1)) {
      filter.matching_rule = body.read(ber::context(1));
    }
    if (body.peek() == ber::context(2)) {
      filter.attribute = body.read(ber::context(2));
    }
    filter.value = body.read(ber::context(3));
    if (body.peek() == ber::context(4)) {
      filter.dn_attributes = body.boolean(ber::context(4));
    }
    const bool names_something = !filter.matching_rule.empty() || !filter.attribute.empty();
    return names_something ? end_of(body) : FilterStatus::malformed;
  }

  int items_ = 0;
};

void write_children(ber::Writer& writer, const Filter& filter, ber::Tag tag) {
  const ber::Writer::Scope scope(writer, tag);
  for (const Filter& child : filter.children) {
    write_filter(writer, child);
  }
}

void write_assertion(ber::Writer& writer, const Filter& filter, ber::Tag tag) {
  const ber::Writer::Scope scope(writer, tag);
  writer.text(filter.attribute);
  writer.text(filter.value);
}

void write_substrings(ber::Writer& writer, const Filter& filter) {
  const ber::Writer::Scope scope(writer, kSubstrings);
  writer.text(filter.attribute);
  const ber::Writer::Scope pieces(writer, ber::kSequence);
  if (!filter.initial.empty()) {
    writer.text(filter.initial, ber::context(0));
  }
  for (const std::string& piece : filter.any) {
    writer.text(piece, ber::context(1));
  }
  if (!filter.final.empty()) {
    writer.text(filter.final, ber::context(2));
  }
}

void write_extensible(ber::Writer& writer, const Filter& filter) {
  const ber::Writer::Scope scope(writer, kExtensible);
  if (!filter.matching_rule.empty()) {
    writer.text(filter.matching_rule, ber::context(1));
  }
  if (!filter.attribute.empty()) {
    writer.text(filter.attribute, ber::context(2));
  }
  writer.text(filter.value, ber::context(3));
  if (filter.dn_attributes) {
    writer.boolean(true, ber::context(4));
  }
}

}  // namespace

FilterStatus read_filter(ber::Reader& reader, Filter& filter) {
  const FilterStatus status = FilterReader().read(reader, filter, 1);
  if (status == FilterStatus::malformed) {
    reader.fail();
  }
  return status;
}

void write_filter(ber::Writer& writer, const Filter& filter) {
  switch (filter.kind) {
    case Kind::all_of: return write_children(writer, filter, kAnd);
    case Kind::any_of: return write_children(writer, filter, kOr);
    case Kind::negation: return write_children(writer, filter, kNot);
    case Kind::equality: return write_assertion(writer, filter, kEquality);
    case Kind::substrings: return write_substrings(writer, filter);
    case Kind::greater_or_equal: return write_assertion(writer, filter, kGreater);
    case Kind::less_or_equal: return write_assertion(writer, filter, kLess);
    case Kind::present: return writer.text(filter.attribute, kPresent);
    case Kind::approximate: return write_assertion(writer, filter, kApproximate);
    case Kind::extensible: return write_extensible(writer, filter);
  }
}

}  // namespace lab::ldap
