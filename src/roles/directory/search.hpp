// One search, in steps: a long one gives way to others, and waits while its client does not read.
#pragma once

#include "ldap/message.hpp"
#include "matcher.hpp"
#include "tree.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab::directory {

class Search {
 public:
  // `now_ns` is on the clock of step(); the request's time limit counts from it.
  Search(const Tree& tree, std::int32_t message_id, const ldap::SearchRequest& request, std::int64_t now_ns);
  Search(const Search&) = delete;  // known_ points into matcher_
  Search& operator=(const Search&) = delete;

  // Appends entries, at the end the result. Returns after about `max_bytes` of them or `max_entries` looked at. True: done.
  bool step(std::string& out, std::size_t max_bytes, std::size_t max_entries, std::int64_t now_ns);

  ldap::ResultCode code() const { return outcome_.code; }  // once done

 private:
  struct Selection {
    bool user = false, operational = false, types_only = false;
    std::vector<const AttributeType*> types;
    bool selects(const AttributeType& type) const;
  };

  void select(const ldap::SearchRequest& request);
  void find_base(const std::string& text);
  void plan();
  EntryId next();  // the next candidate; kNoEntry: no more
  EntryId next_below(EntryId id) const;
  bool in_scope(EntryId id) const;
  bool visit(const Entry& entry, std::string& out);  // false: the size limit is reached
  void append(const Entry& entry, std::string& out) const;
  void append_computed(const Entry& entry, ber::Writer& writer) const;
  bool finish(std::string& out);

  const Tree& tree_;
  const std::int32_t id_;
  const ldap::Scope scope_;
  const std::int64_t deadline_ns_;  // 0: none
  const std::uint32_t size_limit_;  // 0: none
  Selection selection_;
  Matcher matcher_;
  ldap::Outcome outcome_;

  EntryId base_ = kNoEntry;
  bool root_dse_ = false;
  bool everything_ = false;  // below the root: all naming contexts
  bool from_index_ = false;
  const Matcher* known_ = nullptr;   // answered by the index
  std::vector<EntryId> candidates_;  // from the index, or the starting points of a walk
  std::size_t next_candidate_ = 0;
  EntryId walking_ = kNoEntry, walk_top_ = kNoEntry;
  std::uint32_t sent_ = 0;
};

}  // namespace lab::directory
