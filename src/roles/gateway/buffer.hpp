// Bytes read and not yet used. Blocks come from a thread's pool and go back when empty, so that idle connections hold none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lab::gateway {

inline constexpr std::size_t kSmallBlock = 16 * 1024;
inline constexpr std::size_t kLargeBlock = 256 * 1024;

class BlockPool {
 public:
  using Block = std::unique_ptr<char[]>;
  Block take(bool large);
  void give(Block block, bool large);

 private:
  std::vector<Block> small_, large_;  // last in, first out: the warmest in the cache
};

class Buffer {
 public:
  explicit Buffer(BlockPool& pool) : pool_(&pool) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(); }

  std::string_view data() const { return {block_.get() + begin_, end_ - begin_}; }
  std::span<char> bytes() { return {block_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void consume(std::size_t count) { begin_ += count; }

  // Free space behind the data, at least a byte unless a large block is full. Moves the data: views into it die.
  std::span<char> room();
  void filled(std::size_t count);
  void put_before(std::string_view text);  // before the data; both fit a large block

  void rewind();   // a new message: small blocks again once empty
  void release();  // drops the data and gives the block back
  void release_if_empty();

 private:
  std::size_t capacity() const { return large_ ? kLargeBlock : kSmallBlock; }
  void grow();

  BlockPool* pool_;
  BlockPool::Block block_;
  bool large_ = false;       // of the block held
  bool want_large_ = false;  // a read filled the last block: the sender is ahead of us
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace lab::gateway
