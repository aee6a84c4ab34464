#include "search.hpp"

#include "ldap/dn.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

using ldap::ResultCode;
using ldap::Scope;

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

Search::Search(const Tree& tree, std::int32_t message_id, const ldap::SearchRequest& request, const ldap::RequestControls& controls,
               Viewer viewer, std::int64_t now_ns)
    : tree_(tree),
      id_(message_id),
      scope_(request.scope),
      deadline_ns_(request.time_limit == 0 ? 0 : now_ns + request.time_limit * kSecond),
      size_limit_(static_cast<std::uint32_t>(request.size_limit)),
      selection_(tree.schema(), request.attributes, request.types_only, viewer.sees_secrets),
      matcher_(prepare(tree.schema(), request.filter, viewer.sees_secrets)) {
  find_base(request.base, viewer);
  if (outcome_.code == ResultCode::success && special_ == nullptr) {
    check(request, controls);
  }
  if (outcome_.code == ResultCode::success && special_ == nullptr) {
    plan();
  }
}

void Search::find_base(const std::string& text, Viewer viewer) {
  const std::optional<std::string> normal = tree_.schema().normalize_dn(text);
  if (!normal) {
    outcome_ = {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
    return;
  }
  const bool is_root = normal->empty(), is_subschema = *normal == "cn=subschema";
  if ((is_root || is_subschema) && scope_ == Scope::base) {
    special_ = is_root ? &tree_.root_dse(viewer.unix_socket) : &tree_.subschema();
    return;
  }
  base_ = tree_.find(*normal);
  if (base_ == kNoEntry) {
    const EntryId above = tree_.nearest_above(*normal);
    outcome_ = {ResultCode::no_such_object, above == kNoEntry ? std::string() : std::string(tree_[above].dn()), {}};
  }
}

void Search::check(const ldap::SearchRequest& request, const ldap::RequestControls& controls) {
  if (controls.assertion) {
    const Matcher assertion = prepare(tree_.schema(), *controls.assertion, false);
    if (evaluate(assertion, {tree_, tree_[base_], base_}) != Truth::yes) {
      outcome_ = {ResultCode::assertion_failed, {}, "the assertion does not hold for " + request.base};
      return;
    }
  }
  if (!controls.sort.empty()) {
    sorter_.emplace();
    outcome_ = sorter_->prepare(tree_.schema(), controls.sort);
    collecting_ = true;
  }
  if (controls.paged) {
    paged_ = true;
    page_size_ = static_cast<std::uint32_t>(controls.paged->size);
  }
}

void Search::plan() {
  if (scope_ == Scope::base) {
    candidates_ = {base_};
    from_index_ = true;
  } else if (const Matcher* item = indexed_item(matcher_)) {
    tree_.look_up(*item->type, item->value, candidates_);
    known_ = item;
    from_index_ = true;
  } else if (scope_ == Scope::subtree) {
    walking_ = base_;
  } else {
    walking_ = tree_[base_].first_child;
  }
}

bool Search::in_scope(EntryId id) const {
  switch (scope_) {
    case Scope::base: return id == base_;
    case Scope::one_level: return tree_[id].parent == base_;
    default: break;
  }
  for (EntryId at = scope_ == Scope::children ? tree_[id].parent : id; at != kNoEntry; at = tree_[at].parent) {
    if (at == base_) {
      return true;
    }
  }
  return false;
}

// In the tree's own order, parents first. An entry that was moved meanwhile may lead out of the tree: then that is the end.
EntryId Search::next_below(EntryId id) const {
  if (scope_ != Scope::one_level && tree_[id].first_child != kNoEntry) {
    return tree_[id].first_child;
  }
  while (id != base_ && id != kNoEntry) {
    if (tree_[id].next_sibling != kNoEntry) {
      return tree_[id].next_sibling;
    }
    if (scope_ == Scope::one_level) {
      return kNoEntry;
    }
    id = tree_[id].parent;
  }
  return kNoEntry;
}

EntryId Search::next() {
  if (held_ != kNoEntry) {
    return std::exchange(held_, kNoEntry);
  }
  if (!from_index_) {
    const EntryId id = walking_;
    walking_ = id == kNoEntry ? kNoEntry : next_below(id);
    return id;
  }
  while (next_candidate_ < candidates_.size()) {
    const EntryId id = candidates_[next_candidate_++];
    if (in_scope(id)) {
      return id;
    }
  }
  return kNoEntry;
}

Search::Step Search::step(std::string& out, std::size_t max_bytes, std::size_t max_entries, std::int64_t now_ns,
                          const std::string& cookie) {
  if (outcome_.code != ResultCode::success) {
    return finish(out);
  }
  if (special_ != nullptr) {
    return visit_special(out);
  }
  const std::size_t stop_at = out.size() + max_bytes;
  for (; max_entries > 0 && out.size() < stop_at; --max_entries) {
    if (deadline_ns_ != 0 && now_ns > deadline_ns_) {
      outcome_.code = ResultCode::time_limit_exceeded;
      return finish(out);
    }
    const EntryId id = next();
    if (id == kNoEntry && collecting_) {
      candidates_ = sorter_->sorted();
      next_candidate_ = 0;
      from_index_ = true;
      collecting_ = false;
      continue;
    }
    if (id == kNoEntry || (collecting_ && !collect(id))) {
      return finish(out);
    }
    const Visit visited = collecting_ ? Visit::go_on : visit(id, out);
    if (visited == Visit::page_full) {
      held_ = id;
      finish(out, cookie);
      return Step::page;
    }
    if (visited == Visit::limit) {
      return finish(out);
    }
  }
  return Step::more;
}

Search::Step Search::visit_special(std::string& out) {
  const EntryView view{tree_, *special_};
  if (evaluate(matcher_, view) == Truth::yes) {
    append(view, out);
  }
  return finish(out);
}

bool Search::collect(EntryId id) {
  const EntryView view{tree_, tree_[id], id};
  if (tree_[id].gone || evaluate(matcher_, view, known_) != Truth::yes) {
    return true;
  }
  if (sorter_->add(view)) {
    return true;
  }
  outcome_ = {ResultCode::admin_limit_exceeded, {}, "too many entries to sort"};
  return false;
}

Search::Visit Search::visit(EntryId id, std::string& out) {
  const EntryView view{tree_, tree_[id], id};
  if (tree_[id].gone || evaluate(matcher_, view, known_) != Truth::yes) {
    return Visit::go_on;
  }
  if (size_limit_ != 0 && sent_ == size_limit_) {
    outcome_.code = ResultCode::size_limit_exceeded;
    return Visit::limit;
  }
  if (paged_ && page_size_ != 0 && on_page_ == page_size_) {
    return Visit::page_full;
  }
  append(view, out);
  ++sent_;
  ++on_page_;
  return Visit::go_on;
}

void Search::append(const EntryView& view, std::string& out) const {
  ber::Writer writer(out);
  const ber::Writer::Scope message(writer, ber::kSequence);
  writer.integer(id_);
  selection_.append(writer, view);
}

void Search::next_page(std::int32_t message_id, int size) {
  id_ = message_id;
  page_size_ = static_cast<std::uint32_t>(size);
  on_page_ = 0;
  known_ = nullptr;  // the entries may have changed meanwhile
}

Search::Step Search::finish(std::string& out, const std::string& cookie) {
  std::vector<ldap::Control> controls;
  if (outcome_.code == ResultCode::success) {
    if (paged_) {
      controls.push_back(ldap::paged_response(cookie));
    }
    if (sorter_) {
      controls.push_back(ldap::sort_response(ResultCode::success));
    }
  }
  ldap::encode_response(out, id_, ldap::op::kSearchDone, outcome_, controls);
  return Step::done;
}

}  // namespace lab::directory
