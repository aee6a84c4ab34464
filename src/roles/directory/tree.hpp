// The directory information tree, shared by all threads: read under a shared lock, and only where there is an administrator.
#pragma once

#include "entry.hpp"
#include "equality_index.hpp"
#include "lab/error.hpp"
#include "password.hpp"

#include <deque>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

class Tree {
 public:
  Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // While loading. Adds an entry, children before or after their parents. Errors: a bad DN, one that is there already, an unusable
  // password.
  Result<void> add(const std::string& dn, const std::vector<ldap::Attribute>& attributes);
  // Once, after the last add(). Entries without a parent become naming contexts.
  void link();
  // From then on entries may change, and readers lock. `administrator` counts as the creator of what is loaded.
  void make_writable(const std::string& administrator);

  std::shared_lock<std::shared_mutex> reading() const;  // locks nothing in a tree that does not change
  std::unique_lock<std::shared_mutex> writing() { return std::unique_lock(mutex_); }

  EntryId find(std::string_view normalized_dn) const { return by_dn_.first(normalized_dn); }
  const Entry& operator[](EntryId id) const { return entries_[id]; }
  std::size_t size() const { return entries_.size() - gone_; }
  const std::vector<EntryId>& naming_contexts() const { return contexts_; }
  const Schema& schema() const { return schema_; }
  // Appends the entries that have this normalised value; the type must have an index.
  void look_up(const AttributeType& type, std::string_view normal, std::vector<EntryId>& into) const;
  const Entry& root_dse(bool unix_socket) const { return unix_socket ? root_dse_with_external_ : root_dse_; }
  const Entry& subschema() const { return subschema_; }
  // The nearest entry above a DN that is not there; kNoEntry: none.
  EntryId nearest_above(std::string_view normalized_dn) const;
  bool is_below_a_context(std::string_view normalized_dn) const;

  // Operational attributes that an entry does not hold itself. Empty: it holds it, or has none.
  std::string implied_value(const AttributeType& type, EntryId id) const;
  const std::vector<const AttributeType*>& implied_types() const { return implied_; }
  std::string structural_class(EntryId id) const;  // the most derived one; empty: none that is known

  // Under writing(); what they are given has been checked.
  void insert(const Names& names, EntryId parent, const std::vector<ldap::Attribute>& attributes);
  void replace(EntryId id, const std::vector<ldap::Attribute>& attributes);
  void remove(EntryId id);  // a leaf
  void rename(EntryId id, const Names& names, EntryId parent, const std::vector<ldap::Attribute>& attributes);

 private:
  void fill(Entry& entry, std::string_view dn, const std::vector<ldap::Attribute>& attributes);
  const Shape* shared(Shape shape);
  enum class Indexing { add, remove };
  void index(EntryId id, Indexing what);
  void attach(EntryId id, EntryId parent);
  void detach(EntryId id);
  void set_name(EntryId id, std::string_view dn);
  void make_root_dse();
  void make_subschema();

  mutable std::shared_mutex mutex_;
  bool writable_ = false;
  Schema schema_;
  std::deque<Entry> entries_;
  std::size_t gone_ = 0;
  std::map<Shape, std::unique_ptr<const Shape>> shapes_;
  const Shape* last_shape_ = nullptr;
  std::vector<std::pair<EntryId, std::string>> orphans_;  // with the normalised DN of the parent, until link()
  EqualityIndex by_dn_;
  std::vector<EqualityIndex> indexes_;
  std::vector<EntryId> contexts_;
  Entry root_dse_, root_dse_with_external_, subschema_;
  std::vector<const AttributeType*> implied_;
  std::string administrator_, loaded_at_;
  std::uint64_t seed_ = 0;  // of entryUUID
};

}  // namespace lab::directory
