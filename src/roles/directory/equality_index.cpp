#include "equality_index.hpp"

#include <algorithm>
#include <functional>

namespace lab::directory {

namespace {

std::uint32_t hash_of(std::string_view key) {
  const std::size_t hash = std::hash<std::string_view>()(key);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

// The slot of the key, or the free one where it would go.
std::size_t EqualityIndex::slot_of(std::uint32_t hash, std::string_view key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    const bool same = slot.hash == hash && std::string_view(keys_).substr(slot.key_begin, slot.key_size) == key;
    if (slot.head == kNone || same) {
      return at;
    }
  }
}

void EqualityIndex::grow() {
  std::vector<Slot> old(std::max<std::size_t>(16, slots_.size() * 2));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.head != kNone) {
      std::size_t at = slot.hash & mask;
      while (slots_[at].head != kNone) {
        at = (at + 1) & mask;
      }
      slots_[at] = slot;
    }
  }
}

void EqualityIndex::add(std::string_view key, EntryId id) {
  if (used_ * 4 >= slots_.size() * 3) {
    grow();
  }
  const std::uint32_t hash = hash_of(key);
  Slot& slot = slots_[slot_of(hash, key)];
  if (slot.head == kNone) {
    slot = {hash, static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(key.size()), kNone};
    keys_.append(key);
    ++used_;
  }
  nodes_.push_back({id, slot.head});
  slot.head = static_cast<std::uint32_t>(nodes_.size() - 1);
}

void EqualityIndex::find(std::string_view key, std::vector<EntryId>& into) const {
  if (slots_.empty()) {
    return;
  }
  const auto before = static_cast<std::ptrdiff_t>(into.size());
  for (std::uint32_t at = slots_[slot_of(hash_of(key), key)].head; at != kNone; at = nodes_[at].next) {
    into.push_back(nodes_[at].id);
  }
  std::reverse(into.begin() + before, into.end());
}

EntryId EqualityIndex::first(std::string_view key) const {
  if (slots_.empty()) {
    return kNoEntry;
  }
  const std::uint32_t head = slots_[slot_of(hash_of(key), key)].head;
  return head == kNone ? kNoEntry : nodes_[head].id;
}

}  // namespace lab::directory
