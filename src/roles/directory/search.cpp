#include "search.hpp"

#include "ldap/dn.hpp"
#include "ldap/text.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

bool Search::Selection::selects(const AttributeType& type) const {
  return (type.operational ? operational : user) || std::find(types.begin(), types.end(), &type) != types.end();
}

Search::Search(const Tree& tree, std::int32_t message_id, const ldap::SearchRequest& request, std::int64_t now_ns)
    : tree_(tree),
      id_(message_id),
      scope_(request.scope),
      deadline_ns_(request.time_limit == 0 ? 0 : now_ns + request.time_limit * kSecond),
      size_limit_(static_cast<std::uint32_t>(request.size_limit)),
      matcher_(prepare(tree.schema(), request.filter)) {
  select(request);
  find_base(request.base);
  if (outcome_.code == ldap::ResultCode::success) {
    plan();
  }
}

// RFC 4511 section 4.5.1.8: nothing asked for, or "*": user attributes; "+": operational ones; "1.1" alone: none.
void Search::select(const ldap::SearchRequest& request) {
  selection_.types_only = request.types_only;
  selection_.user = request.attributes.empty();
  for (const std::string& name : request.attributes) {
    if (name == "*") {
      selection_.user = true;
    } else if (name == "+") {
      selection_.operational = true;
    } else if (const AttributeType* type = tree_.schema().find(name)) {
      selection_.types.push_back(type);
    }
  }
}

void Search::find_base(const std::string& text) {
  const std::optional<std::string> normal = ldap::normalize_dn(text);
  if (!normal) {
    outcome_ = {ldap::ResultCode::invalid_dn_syntax, {}, "invalid DN"};
    return;
  }
  if (normal->empty()) {
    root_dse_ = scope_ == ldap::Scope::base;
    everything_ = !root_dse_;
    return;
  }
  base_ = tree_.find(*normal);
  if (base_ == kNoEntry) {
    const EntryId above = tree_.nearest_above(*normal);
    outcome_ = {ldap::ResultCode::no_such_object, above == kNoEntry ? std::string() : tree_[above].dn, {}};
  }
}

void Search::plan() {
  if (root_dse_) {
    return;
  }
  if (scope_ == ldap::Scope::base) {
    candidates_ = {base_};
    from_index_ = true;
    return;
  }
  if (const Matcher* item = indexed_item(matcher_)) {
    tree_.look_up(*item->type, item->value, candidates_);
    known_ = item;
    from_index_ = true;
    return;
  }
  if (everything_) {
    candidates_ = tree_.naming_contexts();
    from_index_ = scope_ == ldap::Scope::one_level;
  } else if (scope_ == ldap::Scope::subtree) {
    candidates_ = {base_};
  } else {
    walking_ = tree_[base_].first_child;
    walk_top_ = base_;
  }
}

bool Search::in_scope(EntryId id) const {
  switch (scope_) {
    case ldap::Scope::base: return id == base_;
    case ldap::Scope::one_level: return tree_[id].parent == base_;
    case ldap::Scope::subtree: break;
  }
  for (EntryId at = id; at != kNoEntry; at = tree_[at].parent) {
    if (at == base_) {
      return true;
    }
  }
  return everything_;
}

// In the tree's own order, parents first, down from walk_top_.
EntryId Search::next_below(EntryId id) const {
  if (scope_ == ldap::Scope::subtree && tree_[id].first_child != kNoEntry) {
    return tree_[id].first_child;
  }
  while (id != walk_top_) {
    if (tree_[id].next_sibling != kNoEntry) {
      return tree_[id].next_sibling;
    }
    if (scope_ == ldap::Scope::one_level) {
      return kNoEntry;
    }
    id = tree_[id].parent;
  }
  return kNoEntry;
}

EntryId Search::next() {
  if (walking_ != kNoEntry) {
    const EntryId id = walking_;
    walking_ = next_below(id);
    return id;
  }
  while (next_candidate_ < candidates_.size()) {
    const EntryId id = candidates_[next_candidate_++];
    if (!from_index_) {
      walk_top_ = id;
      walking_ = next_below(id);
      return id;
    }
    if (in_scope(id)) {
      return id;
    }
  }
  return kNoEntry;
}

bool Search::step(std::string& out, std::size_t max_bytes, std::size_t max_entries, std::int64_t now_ns) {
  if (outcome_.code != ldap::ResultCode::success) {
    return finish(out);
  }
  if (root_dse_) {
    visit(tree_.root_dse(), out);
    return finish(out);
  }
  const std::size_t stop_at = out.size() + max_bytes;
  for (; max_entries > 0 && out.size() < stop_at; --max_entries) {
    if (deadline_ns_ != 0 && now_ns > deadline_ns_) {
      outcome_.code = ldap::ResultCode::time_limit_exceeded;
      return finish(out);
    }
    const EntryId id = next();
    if (id == kNoEntry || !visit(tree_[id], out)) {
      return finish(out);
    }
  }
  return false;
}

bool Search::visit(const Entry& entry, std::string& out) {
  if (evaluate(matcher_, entry, known_) != Truth::yes) {
    return true;
  }
  if (size_limit_ != 0 && sent_ == size_limit_) {
    outcome_.code = ldap::ResultCode::size_limit_exceeded;
    return false;
  }
  append(entry, out);
  ++sent_;
  return true;
}

void Search::append(const Entry& entry, std::string& out) const {
  ber::Writer writer(out);
  const ber::Writer::Scope message(writer, ber::kSequence);
  writer.integer(id_);
  const ber::Writer::Scope operation(writer, ldap::op::kSearchEntry);
  writer.text(entry.dn);
  const ber::Writer::Scope attributes(writer, ber::kSequence);
  const std::string_view encoded = entry.encoded;
  if (selection_.user && !selection_.types_only) {
    writer.raw(encoded.substr(0, entry.user_end));
  }
  for (const StoredAttribute& attribute : entry.attributes) {
    if (!selection_.selects(*attribute.type)) {
      continue;
    }
    if (selection_.types_only) {
      const ber::Writer::Scope partial(writer, ber::kSequence);
      writer.text(attribute.type->name);
      writer.text({}, ber::kSet);
    } else if (!selection_.user || attribute.type->operational) {
      writer.raw(entry.encoded_attribute(attribute));
    }
  }
  append_computed(entry, writer);
}

// Operational attributes that follow from where the entry is.
void Search::append_computed(const Entry& entry, ber::Writer& writer) const {
  if (entry.dn.empty()) {
    return;
  }
  const auto append_one = [&](const char* name, std::string_view value) {
    const AttributeType* type = tree_.schema().find(name);
    if (type == nullptr || !selection_.selects(*type)) {
      return;
    }
    const ber::Writer::Scope partial(writer, ber::kSequence);
    writer.text(name);
    const ber::Writer::Scope set(writer, ber::kSet);
    if (!selection_.types_only) {
      writer.text(value);
    }
  };
  if (selection_.operational || !selection_.types.empty()) {
    append_one("entryDN", entry.dn);
    append_one("hasSubordinates", entry.first_child == kNoEntry ? "FALSE" : "TRUE");
  }
}

bool Search::finish(std::string& out) {
  ldap::encode_response(out, id_, ldap::op::kSearchDone, outcome_);
  return true;
}

}  // namespace lab::directory
