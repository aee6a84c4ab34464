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
    if (slot.head == kFree || same) {
      return at;
    }
  }
}

// Makes room, and forgets keys that have no entries any more.
void EqualityIndex::rebuild() {
  const std::size_t live = used_ - dead_;
  std::size_t size = 16;
  while (size * 3 <= live * 5) {
    size *= 2;
  }
  std::vector<Slot> old(size);
  old.swap(slots_);
  std::string old_keys;
  if (dead_ > 0) {
    old_keys.swap(keys_);
  }
  const std::size_t mask = slots_.size() - 1;
  for (Slot slot : old) {
    if (slot.head == kFree || slot.head == kNone) {
      continue;
    }
    if (dead_ > 0) {
      const std::string_view key = std::string_view(old_keys).substr(slot.key_begin, slot.key_size);
      slot.key_begin = static_cast<std::uint32_t>(keys_.size());
      keys_.append(key);
    }
    std::size_t at = slot.hash & mask;
    while (slots_[at].head != kFree) {
      at = (at + 1) & mask;
    }
    slots_[at] = slot;
  }
  used_ = live;
  dead_ = 0;
}

void EqualityIndex::add(std::string_view key, EntryId id) {
  if (used_ * 4 >= slots_.size() * 3) {
    rebuild();
  }
  const std::uint32_t hash = hash_of(key);
  Slot& slot = slots_[slot_of(hash, key)];
  if (slot.head == kFree) {
    slot = {hash, static_cast<std::uint32_t>(keys_.size()), static_cast<std::uint32_t>(key.size()), kNone};
    keys_.append(key);
    ++used_;
  } else if (slot.head == kNone) {
    --dead_;
  }
  std::uint32_t node = free_nodes_;
  if (node == kNone) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_nodes_ = nodes_[node].next;
  }
  nodes_[node] = {id, slot.head};
  slot.head = node;
}

void EqualityIndex::remove(std::string_view key, EntryId id) {
  if (slots_.empty()) {
    return;
  }
  Slot& slot = slots_[slot_of(hash_of(key), key)];
  if (slot.head == kFree) {
    return;
  }
  for (std::uint32_t* at = &slot.head; *at != kNone; at = &nodes_[*at].next) {
    if (nodes_[*at].id == id) {
      const std::uint32_t node = *at;
      *at = nodes_[node].next;
      nodes_[node].next = free_nodes_;
      free_nodes_ = node;
      dead_ += slot.head == kNone ? 1 : 0;
      return;
    }
  }
}

void EqualityIndex::find(std::string_view key, std::vector<EntryId>& into) const {
  if (slots_.empty()) {
    return;
  }
  const auto before = static_cast<std::ptrdiff_t>(into.size());
  const std::uint32_t head = slots_[slot_of(hash_of(key), key)].head;
  for (std::uint32_t at = head == kFree ? kNone : head; at != kNone; at = nodes_[at].next) {
    into.push_back(nodes_[at].id);
  }
  std::reverse(into.begin() + before, into.end());
}

EntryId EqualityIndex::first(std::string_view key) const {
  if (slots_.empty()) {
    return kNoEntry;
  }
  const std::uint32_t head = slots_[slot_of(hash_of(key), key)].head;
  return head == kFree || head == kNone ? kNoEntry : nodes_[head].id;
}

}  // namespace lab::directory
