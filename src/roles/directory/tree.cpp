#include "tree.hpp"

#include "ldap/dn.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace lab::directory {

namespace {

const std::string* find_unusable_password(const AttributeType& type, const std::vector<std::string>& values) {
  const auto found = std::find_if(values.begin(), values.end(), [](const std::string& value) { return !is_usable_password(value); });
  return !type.secret || found == values.end() ? nullptr : &*found;
}

}  // namespace

Tree::Tree() : indexes_(static_cast<std::size_t>(schema_.index_count())) {
  std::array<char, 32> text{};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y%m%d%H%M%SZ", &parts);
  loaded_at_ = text.data();
  seed_ = static_cast<std::uint64_t>(now);
  for (const char* name : {"structuralObjectClass", "entryUUID", "creatorsName", "createTimestamp", "entryCSN", "modifiersName",
                           "modifyTimestamp", "entryDN", "subschemaSubentry", "hasSubordinates"}) {
    implied_.push_back(schema_.find(name));
  }
}

std::shared_lock<std::shared_mutex> Tree::reading() const {
  return writable_ ? std::shared_lock(mutex_) : std::shared_lock<std::shared_mutex>();
}

void Tree::make_writable(const std::string& administrator) {
  writable_ = true;
  administrator_ = administrator;
}

Result<void> Tree::add(const std::string& dn, const std::vector<ldap::Attribute>& attributes) {
  const std::optional<Names> names = schema_.names_of_data(dn);
  if (!names || names->normal.empty()) {
    return Error{
        "not a distinguished name: " + dn, {}, "write it as RFC 4514 has it, e.g. uid=user000001,ou=people,dc=lab", {}, Failure::usage};
  }
  if (find(names->normal) != kNoEntry) {
    return Error{"an entry that is there already: " + dn, {}, "remove one of the two", {}, Failure::usage};
  }
  for (const ldap::Attribute& attribute : attributes) {
    if (const std::string* unusable = find_unusable_password(schema_.find_or_add(attribute.type), attribute.values)) {
      return Error{"a password that nobody can check: " + unusable->substr(0, unusable->find('}') + 1),
                   {},
                   "store it as {SSHA}, {SHA}, {SSHA256}, {SSHA512}, {CRYPT} or in clear; slappasswd makes them",
                   {},
                   Failure::usage};
    }
  }
  const auto id = static_cast<EntryId>(entries_.size());
  fill(entries_.emplace_back(), names->pretty, attributes);
  const std::string_view above = ldap::parent_of(names->normal);
  if (const EntryId parent = find(above); parent != kNoEntry) {
    attach(id, parent);
  } else {
    orphans_.emplace_back(id, above);
  }
  by_dn_.add(names->normal, id);
  index(id, Indexing::add);
  return {};
}

const Shape* Tree::shared(Shape shape) {
  if (last_shape_ == nullptr || *last_shape_ != shape) {  // nearly all entries are like the one before
    std::unique_ptr<const Shape>& kept = shapes_[shape];
    if (kept == nullptr) {
      kept = std::make_unique<const Shape>(std::move(shape));
    }
    last_shape_ = kept.get();
  }
  return last_shape_;
}

void Tree::fill(Entry& entry, std::string_view dn, const std::vector<ldap::Attribute>& attributes) {
  struct Part {
    std::string bytes;
    Shape types;
  };
  Part user{std::string(dn), {}}, secret, operational;
  for (const ldap::Attribute& attribute : attributes) {
    const AttributeType& type = schema_.find_or_add(attribute.type);
    if (type.computed) {
      continue;  // as slapcat writes them; it follows from the entry's place
    }
    Part& into = type.operational ? operational : type.secret ? secret : user;
    append_attribute(into.bytes, type.name, attribute.values);
    into.types.push_back(&type);
  }
  entry.name_size = static_cast<std::uint32_t>(dn.size());
  entry.public_end = static_cast<std::uint32_t>(user.bytes.size());
  entry.secret_end = entry.public_end + static_cast<std::uint32_t>(secret.bytes.size());
  entry.data = std::string();
  entry.data.reserve(entry.secret_end + operational.bytes.size());
  entry.data.append(user.bytes).append(secret.bytes).append(operational.bytes);
  user.types.insert(user.types.end(), secret.types.begin(), secret.types.end());
  user.types.insert(user.types.end(), operational.types.begin(), operational.types.end());
  entry.shape = shared(std::move(user.types));
}

void Tree::index(EntryId id, Indexing what) {
  any_attribute(entries_[id], [&](const AttributeType& type, std::string_view partial) {
    const AttributeType* indexed = type.base;
    while (indexed != nullptr && indexed->index < 0) {
      indexed = indexed->super;
    }
    if (indexed == nullptr) {
      return false;
    }
    EqualityIndex& into = indexes_[static_cast<std::size_t>(indexed->index)];
    any_value(partial, [&](std::string_view value) {
      const std::string normal = schema_.normalize(*indexed, value);
      what == Indexing::add ? into.add(normal, id) : into.remove(normal, id);
      return false;
    });
    return false;
  });
}

void Tree::link() {
  for (const auto& [id, above] : orphans_) {
    const EntryId parent = find(above);
    if (parent == kNoEntry) {
      contexts_.push_back(id);
    } else {
      attach(id, parent);
    }
  }
  orphans_ = {};
  make_root_dse();
  make_subschema();
}

void Tree::attach(EntryId id, EntryId parent) {
  Entry& entry = entries_[id];
  Entry& above = entries_[parent];
  entry.parent = parent;
  entry.previous_sibling = above.last_child;
  entry.next_sibling = kNoEntry;
  (above.last_child == kNoEntry ? above.first_child : entries_[above.last_child].next_sibling) = id;
  above.last_child = id;
}

// What is taken out keeps its own links: a search that stands on it finds on.
void Tree::detach(EntryId id) {
  const Entry& entry = entries_[id];
  Entry& above = entries_[entry.parent];
  (entry.previous_sibling == kNoEntry ? above.first_child : entries_[entry.previous_sibling].next_sibling) = entry.next_sibling;
  (entry.next_sibling == kNoEntry ? above.last_child : entries_[entry.next_sibling].previous_sibling) = entry.previous_sibling;
}

void Tree::insert(const Names& names, EntryId parent, const std::vector<ldap::Attribute>& attributes) {
  const auto id = static_cast<EntryId>(entries_.size());
  fill(entries_.emplace_back(), names.pretty, attributes);
  attach(id, parent);
  by_dn_.add(names.normal, id);
  index(id, Indexing::add);
}

void Tree::replace(EntryId id, const std::vector<ldap::Attribute>& attributes) {
  index(id, Indexing::remove);
  const std::string dn(entries_[id].dn());
  fill(entries_[id], dn, attributes);
  index(id, Indexing::add);
}

void Tree::remove(EntryId id) {
  Entry& entry = entries_[id];
  index(id, Indexing::remove);
  by_dn_.remove(schema_.normalize_dn(entry.dn()).value_or(std::string()), id);
  if (entry.parent == kNoEntry) {
    std::erase(contexts_, id);
    make_root_dse();
  } else {
    detach(id);
  }
  entry.gone = true;
  entry.data = std::string();
  entry.shape = shared({});
  entry.name_size = entry.public_end = entry.secret_end = 0;
  ++gone_;
}

void Tree::set_name(EntryId id, std::string_view dn) {
  Entry& entry = entries_[id];
  by_dn_.remove(schema_.normalize_dn(entry.dn()).value_or(std::string()), id);
  entry.data.replace(0, entry.name_size, dn);
  const std::uint32_t grown = static_cast<std::uint32_t>(dn.size()) - entry.name_size;
  entry.public_end += grown;
  entry.secret_end += grown;
  entry.name_size = static_cast<std::uint32_t>(dn.size());
  by_dn_.add(schema_.normalize_dn(dn).value_or(std::string()), id);
}

void Tree::rename(EntryId id, const Names& names, EntryId parent, const std::vector<ldap::Attribute>& attributes) {
  replace(id, attributes);
  if (entries_[id].parent != parent) {
    detach(id);
    attach(id, parent);
  }
  std::vector<std::pair<EntryId, std::string>> to_name{{id, names.pretty}};
  while (!to_name.empty()) {  // it, and all below it
    const auto [at, dn] = std::move(to_name.back());
    to_name.pop_back();
    const std::size_t suffix = entries_[at].name_size;
    for (EntryId child = entries_[at].first_child; child != kNoEntry; child = entries_[child].next_sibling) {
      const std::string_view old = entries_[child].dn();
      to_name.emplace_back(child, std::string(old.substr(0, old.size() - suffix)) + dn);
    }
    set_name(at, dn);
  }
}

void Tree::look_up(const AttributeType& type, std::string_view normal, std::vector<EntryId>& into) const {
  indexes_[static_cast<std::size_t>(type.index)].find(normal, into);
}

EntryId Tree::nearest_above(std::string_view normalized_dn) const {
  for (std::string_view above = ldap::parent_of(normalized_dn); !above.empty(); above = ldap::parent_of(above)) {
    if (const EntryId id = find(above); id != kNoEntry) {
      return id;
    }
  }
  return kNoEntry;
}

bool Tree::is_below_a_context(std::string_view normalized_dn) const {
  return find(normalized_dn) != kNoEntry || nearest_above(normalized_dn) != kNoEntry;
}

}  // namespace lab::directory
