// From a normalised value to the entries that have it. Keys lie in one buffer, so that a million of them fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

using EntryId = std::uint32_t;
constexpr EntryId kNoEntry = ~EntryId{0};

class EqualityIndex {
 public:
  void add(std::string_view key, EntryId id);
  void remove(std::string_view key, EntryId id);
  // Appends the entries in the order in which they were added.
  void find(std::string_view key, std::vector<EntryId>& into) const;
  EntryId first(std::string_view key) const;  // the one added last; kNoEntry: none
  std::size_t key_bytes() const { return keys_.size(); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t key_begin = 0;
    std::uint32_t key_size = 0;
    std::uint32_t head = kFree;  // newest node; kNone: a key whose entries have all gone
  };
  struct Node {
    EntryId id;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0}, kFree = kNone - 1;

  std::size_t slot_of(std::uint32_t hash, std::string_view key) const;
  void rebuild();

  std::string keys_;
  std::vector<Slot> slots_;  // a power of two; open addressing
  std::vector<Node> nodes_;
  std::uint32_t free_nodes_ = kNone;
  std::size_t used_ = 0, dead_ = 0;  // slots that are not free; of them those without entries
};

}  // namespace lab::directory
