#include "ldap/message.hpp"

namespace lab::ldap {

namespace {

constexpr ber::Tag constructed(unsigned number) { return ber::context(number) | ber::kConstructed; }

void write_outcome(ber::Writer& writer, const Outcome& outcome) {
  writer.integer(static_cast<int>(outcome.code), ber::kEnumerated);
  writer.text(outcome.matched_dn);
  writer.text(outcome.diagnostic);
}

void write_attribute(ber::Writer& writer, const Attribute& attribute) {
  const ber::Writer::Scope one(writer, ber::kSequence);
  writer.text(attribute.type);
  const ber::Writer::Scope values(writer, ber::kSet);
  for (const std::string& value : attribute.values) {
    writer.text(value);
  }
}

void write_attributes(ber::Writer& writer, const std::vector<Attribute>& attributes) {
  const ber::Writer::Scope scope(writer, ber::kSequence);
  for (const Attribute& attribute : attributes) {
    write_attribute(writer, attribute);
  }
}

struct OperationWriter {
  ber::Writer& writer;

  void operator()(const BindRequest& bind) const {
    const ber::Writer::Scope scope(writer, op::kBindRequest);
    writer.integer(bind.version);
    writer.text(bind.name);
    if (bind.mechanism.empty()) {
      writer.text(bind.password, ber::context(0));
      return;
    }
    const ber::Writer::Scope sasl(writer, constructed(3));
    writer.text(bind.mechanism);
    if (!bind.credentials.empty()) {
      writer.text(bind.credentials);
    }
  }

  void operator()(const UnbindRequest&) const { writer.text({}, op::kUnbindRequest); }

  void operator()(const SearchRequest& search) const {
    const ber::Writer::Scope scope(writer, op::kSearchRequest);
    writer.text(search.base);
    writer.integer(static_cast<int>(search.scope), ber::kEnumerated);
    writer.integer(search.dereference, ber::kEnumerated);
    writer.integer(search.size_limit);
    writer.integer(search.time_limit);
    writer.boolean(search.types_only);
    write_filter(writer, search.filter);
    const ber::Writer::Scope attributes(writer, ber::kSequence);
    for (const std::string& attribute : search.attributes) {
      writer.text(attribute);
    }
  }

  void operator()(const CompareRequest& compare) const {
    const ber::Writer::Scope scope(writer, op::kCompareRequest);
    writer.text(compare.dn);
    const ber::Writer::Scope assertion(writer, ber::kSequence);
    writer.text(compare.attribute);
    writer.text(compare.value);
  }

  void operator()(const AbandonRequest& abandon) const { writer.integer(abandon.id, op::kAbandonRequest); }

  void operator()(const ExtendedRequest& extended) const {
    const ber::Writer::Scope scope(writer, op::kExtendedRequest);
    writer.text(extended.oid, ber::context(0));
    if (extended.value) {
      writer.text(*extended.value, ber::context(1));
    }
  }

  void operator()(const AddRequest& add) const {
    const ber::Writer::Scope scope(writer, op::kAddRequest);
    writer.text(add.dn);
    write_attributes(writer, add.attributes);
  }

  void operator()(const ModifyRequest& modify) const {
    const ber::Writer::Scope scope(writer, op::kModifyRequest);
    writer.text(modify.dn);
    const ber::Writer::Scope changes(writer, ber::kSequence);
    for (const Change& change : modify.changes) {
      const ber::Writer::Scope one(writer, ber::kSequence);
      writer.integer(static_cast<int>(change.kind), ber::kEnumerated);
      write_attribute(writer, change.attribute);
    }
  }

  void operator()(const DeleteRequest& request) const { writer.text(request.dn, op::kDeleteRequest); }

  void operator()(const ModifyDnRequest& rename) const {
    const ber::Writer::Scope scope(writer, op::kModifyDnRequest);
    writer.text(rename.dn);
    writer.text(rename.new_rdn);
    writer.boolean(rename.delete_old_rdn);
    if (rename.new_superior) {
      writer.text(*rename.new_superior, ber::context(0));
    }
  }

  void operator()(const SearchEntry& entry) const {
    const ber::Writer::Scope scope(writer, op::kSearchEntry);
    writer.text(entry.dn);
    write_attributes(writer, entry.attributes);
  }

  void operator()(const SearchReference& reference) const {
    const ber::Writer::Scope scope(writer, op::kSearchReference);
    for (const std::string& url : reference.urls) {
      writer.text(url);
    }
  }

  void operator()(const Response& response) const {
    const ber::Writer::Scope scope(writer, response.tag);
    write_outcome(writer, response.outcome);
    if (!response.oid.empty()) {
      writer.text(response.oid, ber::context(10));
    }
    if (response.value) {
      writer.text(*response.value, ber::context(11));
    }
  }
};

void write_controls(ber::Writer& writer, const std::vector<Control>& controls) {
  if (controls.empty()) {
    return;
  }
  const ber::Writer::Scope all(writer, constructed(0));
  for (const Control& control : controls) {
    const ber::Writer::Scope scope(writer, ber::kSequence);
    writer.text(control.oid);
    if (control.critical) {
      writer.boolean(true);
    }
    if (control.value) {
      writer.text(*control.value);
    }
  }
}

}  // namespace

void encode(std::string& out, const Message& message) {
  ber::Writer writer(out);
  const ber::Writer::Scope scope(writer, ber::kSequence);
  writer.integer(message.id);
  std::visit(OperationWriter{writer}, message.operation);
  write_controls(writer, message.controls);
}

void encode_response(std::string& out, std::int32_t id, ber::Tag tag, const Outcome& outcome, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  const ber::Writer::Scope scope(writer, ber::kSequence);
  writer.integer(id);
  ber::Writer::Scope response(writer, tag);
  write_outcome(writer, outcome);
  response.end();
  write_controls(writer, controls);
}

}  // namespace lab::ldap
