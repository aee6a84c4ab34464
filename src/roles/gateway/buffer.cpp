#include "roles/gateway/buffer.hpp"

#include <cstring>

namespace lab::gateway {

namespace {

constexpr std::size_t kKeptSmall = 1024, kKeptLarge = 64;  // free blocks a thread keeps: 32 MiB

}  // namespace

BlockPool::Block BlockPool::take(bool large) {
  std::vector<Block>& free = large ? large_ : small_;
  if (free.empty()) {
    return std::make_unique_for_overwrite<char[]>(large ? kLargeBlock : kSmallBlock);
  }
  Block block = std::move(free.back());
  free.pop_back();
  return block;
}

void BlockPool::give(Block block, bool large) {
  std::vector<Block>& free = large ? large_ : small_;
  if (free.size() < (large ? kKeptLarge : kKeptSmall)) {
    free.push_back(std::move(block));
  }
}

std::span<char> Buffer::room() {
  if (empty()) {
    begin_ = end_ = 0;
    if (want_large_ && !large_) {
      release();
    }
  }
  if (!block_) {
    large_ = want_large_;
    block_ = pool_->take(large_);
  }
  if (end_ == capacity() && begin_ > 0) {
    std::memmove(block_.get(), block_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity() && !large_) {
    grow();
  }
  return {block_.get() + end_, capacity() - end_};
}

void Buffer::filled(std::size_t count) {
  end_ += count;
  want_large_ = want_large_ || end_ == capacity();
}

void Buffer::grow() {
  BlockPool::Block larger = pool_->take(true);
  std::memcpy(larger.get(), block_.get() + begin_, end_ - begin_);
  pool_->give(std::move(block_), false);
  block_ = std::move(larger);
  end_ -= begin_;
  begin_ = 0;
  large_ = true;
}

void Buffer::put_before(std::string_view text) {
  const std::size_t size = end_ - begin_;
  const bool large = text.size() + size > kSmallBlock;
  BlockPool::Block block = pool_->take(large);
  std::memcpy(block.get(), text.data(), text.size());
  if (size > 0) {
    std::memcpy(block.get() + text.size(), block_.get() + begin_, size);
  }
  release();
  block_ = std::move(block);
  large_ = large;
  end_ = text.size() + size;
}

void Buffer::rewind() { want_large_ = false; }

void Buffer::release() {
  if (block_) {
    pool_->give(std::move(block_), large_);
  }
  begin_ = end_ = 0;
}

void Buffer::release_if_empty() {
  if (empty()) {
    release();
  }
}

}  // namespace lab::gateway
