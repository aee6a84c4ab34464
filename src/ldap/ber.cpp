#include "ldap/ber.hpp"

#include <array>

namespace lab::ldap::ber {

namespace {

struct Head {
  Frame::Status status = Frame::Status::incomplete;
  std::size_t head = 0;     // bytes of tag and length
  std::size_t content = 0;  // bytes claimed
};

// At most four length bytes: no message comes near 4 GiB. Long forms need not be minimal (some clients always send four).
Head read_head(std::string_view bytes) {
  if (bytes.size() < 2) {
    const bool long_tag = !bytes.empty() && (bytes[0] & 0x1f) == 0x1f;
    return {long_tag ? Frame::Status::malformed : Frame::Status::incomplete};
  }
  if ((bytes[0] & 0x1f) == 0x1f) {
    return {Frame::Status::malformed};
  }
  const auto first = static_cast<std::uint8_t>(bytes[1]);
  if (first < 0x80) {
    return {Frame::Status::complete, 2, first};
  }
  const std::size_t count = first & 0x7fU;
  if (count == 0 || count > 4) {
    return {Frame::Status::malformed};
  }
  if (bytes.size() < 2 + count) {
    return {Frame::Status::incomplete};
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < count; ++i) {
    length = length << 8 | static_cast<std::uint8_t>(bytes[2 + i]);
  }
  return {Frame::Status::complete, 2 + count, length};
}

}  // namespace

Frame frame(std::string_view buffer, std::size_t max_size) {
  const Head head = read_head(buffer);
  if (head.status != Frame::Status::complete) {
    return {head.status};
  }
  if (head.content > max_size || head.head + head.content > max_size) {
    return {Frame::Status::malformed};
  }
  const std::size_t size = head.head + head.content;
  return buffer.size() < size ? Frame{} : Frame{Frame::Status::complete, size};
}

void Reader::fail() {
  ok_ = false;
  rest_ = {};
}

std::string_view Reader::any(Tag& tag) {
  const Head head = read_head(rest_);
  if (head.status != Frame::Status::complete || head.content > rest_.size() - head.head) {
    tag = 0;
    fail();
    return {};
  }
  tag = static_cast<Tag>(rest_.front());
  const std::string_view content = rest_.substr(head.head, head.content);
  rest_.remove_prefix(head.head + head.content);
  return content;
}

std::string_view Reader::read(Tag tag) {
  if (peek() != tag) {
    fail();
    return {};
  }
  return any(tag);
}

std::int64_t Reader::integer(Tag tag) {
  const std::string_view content = read(tag);
  if (content.empty() || content.size() > 8) {
    fail();
    return 0;
  }
  std::uint64_t value = (content[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : content) {
    value = value << 8 | static_cast<std::uint8_t>(byte);
  }
  return static_cast<std::int64_t>(value);
}

bool Reader::boolean(Tag tag) {
  const std::string_view content = read(tag);
  if (content.size() != 1) {
    fail();
    return false;
  }
  return content[0] != 0;
}

void append_length(std::string& out, std::size_t length) {
  if (length < 0x80) {
    out.push_back(static_cast<char>(length));
    return;
  }
  std::array<char, sizeof length> bytes;
  std::size_t count = 0;
  for (; length != 0; length >>= 8) {
    bytes[count++] = static_cast<char>(length & 0xff);
  }
  out.push_back(static_cast<char>(0x80 | count));
  while (count > 0) {
    out.push_back(bytes[--count]);
  }
}

void Writer::text(std::string_view content, Tag tag) {
  out_.push_back(static_cast<char>(tag));
  append_length(out_, content.size());
  out_.append(content);
}

void Writer::integer(std::int64_t value, Tag tag) {
  std::size_t count = 1;
  while (count < 8 && (value >> (8 * count - 1)) != 0 && (value >> (8 * count - 1)) != -1) {
    ++count;
  }
  out_.push_back(static_cast<char>(tag));
  out_.push_back(static_cast<char>(count));
  while (count > 0) {
    out_.push_back(static_cast<char>(value >> (8 * --count) & 0xff));
  }
}

void Writer::boolean(bool value, Tag tag) {
  out_.push_back(static_cast<char>(tag));
  out_.push_back(1);
  out_.push_back(value ? '\xff' : '\0');
}

Writer::Scope::Scope(Writer& writer, Tag tag) : out_(writer.out_) {
  out_.push_back(static_cast<char>(tag));
  out_.push_back(0);
  content_ = out_.size();
}

void Writer::Scope::end() {
  if (!open_) {
    return;
  }
  open_ = false;
  const std::size_t length = out_.size() - content_;
  if (length < 0x80) {
    out_[content_ - 1] = static_cast<char>(length);
    return;
  }
  std::string head;
  append_length(head, length);
  out_.replace(content_ - 1, 1, head);
}

}  // namespace lab::ldap::ber
