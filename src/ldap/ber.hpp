// BER as LDAP uses it (RFC 4511 section 5.1): definite lengths, one-byte tags. Nothing is allocated on a claimed length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab::ldap::ber {

using Tag = std::uint8_t;

constexpr Tag kBoolean = 0x01, kInteger = 0x02, kOctetString = 0x04, kEnumerated = 0x0a, kSequence = 0x30, kSet = 0x31;
constexpr Tag kConstructed = 0x20;
constexpr Tag application(unsigned number) { return static_cast<Tag>(0x40 | number); }
constexpr Tag context(unsigned number) { return static_cast<Tag>(0x80 | number); }

// How much of a buffer its first element takes. `malformed` includes a length above the limit, known from the head alone.
struct Frame {
  enum class Status { complete, incomplete, malformed } status = Status::incomplete;
  std::size_t size = 0;  // head and content, when complete
};
Frame frame(std::string_view buffer, std::size_t max_size);

// Reads elements in order. The first failure sticks: everything read from then on is empty, and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return rest_.empty(); }
  Tag peek() const { return rest_.empty() ? Tag{0} : static_cast<Tag>(rest_.front()); }  // 0: nothing left

  std::string_view read(Tag tag);  // the content of the next element, which must have this tag
  std::string_view any(Tag& tag);  // the content of the next element, whatever it is
  Reader open(Tag tag) { return Reader(read(tag)); }
  std::int64_t integer(Tag tag = kInteger);  // two's complement, at most eight bytes
  bool boolean(Tag tag = kBoolean);
  void fail();

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Appends elements to a string. Lengths are minimal, as RFC 4511 asks of nobody and every client likes.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void text(std::string_view content, Tag tag = kOctetString);
  void integer(std::int64_t value, Tag tag = kInteger);
  void boolean(bool value, Tag tag = kBoolean);
  void raw(std::string_view elements) { out_.append(elements); }

  // A constructed element: what is written until end() is its content.
  class Scope {
   public:
    Scope(Writer& writer, Tag tag);
    ~Scope() { end(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    void end();

   private:
    std::string& out_;
    std::size_t content_;
    bool open_ = true;
  };

 private:
  std::string& out_;
};

void append_length(std::string& out, std::size_t length);

}  // namespace lab::ldap::ber
