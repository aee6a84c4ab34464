// One search, in steps: a long one gives way to others, waits while its client does not read, and rests between pages.
#pragma once

#include "ldap/controls.hpp"
#include "matcher.hpp"
#include "selection.hpp"
#include "sorter.hpp"
#include "tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::directory {

class Search {
 public:
  struct Viewer {
    bool sees_secrets = false;  // the administrator
    bool unix_socket = false;   // is told of SASL EXTERNAL
  };
  // `now_ns` is on the clock of step(); the request's time limit counts from it. The tree is locked, as for step().
  Search(const Tree& tree, std::int32_t message_id, const ldap::SearchRequest& request, const ldap::RequestControls& controls,
         Viewer viewer, std::int64_t now_ns);
  Search(const Search&) = delete;  // known_ points into matcher_
  Search& operator=(const Search&) = delete;

  enum class Step { more, page, done };
  // Appends entries, at the end of a page or of all the result. Returns after about `max_bytes` of them or `max_entries` looked at.
  // `cookie` is for the page that follows; after `page` the search goes on with next_page().
  Step step(std::string& out, std::size_t max_bytes, std::size_t max_entries, std::int64_t now_ns, const std::string& cookie);
  void next_page(std::int32_t message_id, int size);

  std::int32_t message_id() const { return id_; }
  ldap::ResultCode code() const { return outcome_.code; }  // once done

 private:
  void find_base(const std::string& text, Viewer viewer);
  void check(const ldap::SearchRequest& request, const ldap::RequestControls& controls);
  void plan();
  EntryId next();  // the next candidate; kNoEntry: no more
  EntryId next_below(EntryId id) const;
  bool in_scope(EntryId id) const;
  bool collect(EntryId id);  // for sorting; false: too many
  Step visit_special(std::string& out);
  enum class Visit { go_on, page_full, limit };
  Visit visit(EntryId id, std::string& out);
  void append(const EntryView& view, std::string& out) const;
  Step finish(std::string& out, const std::string& cookie = {});

  const Tree& tree_;
  std::int32_t id_;
  const ldap::Scope scope_;
  const std::int64_t deadline_ns_;  // 0: none
  const std::uint32_t size_limit_;  // 0: none
  const Selection selection_;
  const Matcher matcher_;
  ldap::Outcome outcome_;

  bool paged_ = false;
  std::uint32_t page_size_ = 0, on_page_ = 0;
  std::optional<Sorter> sorter_;
  bool collecting_ = false;  // for the sorter, before anything is sent

  EntryId base_ = kNoEntry;
  const Entry* special_ = nullptr;  // the root DSE, or the subschema
  bool from_index_ = false;
  const Matcher* known_ = nullptr;   // answered by the index
  std::vector<EntryId> candidates_;  // from the index or the sorter, or the starting point of a walk
  std::size_t next_candidate_ = 0;
  EntryId walking_ = kNoEntry, held_ = kNoEntry;  // held: the first of the next page
  std::uint32_t sent_ = 0;
};

}  // namespace lab::directory
