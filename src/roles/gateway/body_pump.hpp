// One direction of an exchange: a message's head, then its body from one channel to the other, framed anew.
// Bounded: it reads only once all that was read before has been taken.
#pragma once

#include "http/message.hpp"
#include "roles/gateway/channel.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace lab::gateway {

class BodyPump {
 public:
  enum class Status {
    wait_source,   // an event of the source will tell
    wait_sink,     // an event of the sink will tell
    done,          // all of the message is on its way
    source_ended,  // too early
    source_failed,
    source_bad,        // its chunked framing is not right: why()
    source_too_large,  // more than start() allowed
    sink_failed,
  };

  // What to send first: interim answers, the head. Append before start() or run().
  std::string& text() { return text_; }
  void start(http::Body body, bool chunked_out, std::uint64_t limit);  // limit: bytes of body; 0: any
  Status run(Channel& source, Channel& sink);
  Status flush(Channel& sink);  // only what is there: done or wait_sink or sink_failed

  std::string take_unsent_text();                           // what an answer that takes over must send first
  bool begun() const { return begun_; }                     // the sink took something since start()
  std::uint64_t body_bytes() const { return body_bytes_; }  // taken by the sink, without framing
  std::uint64_t moved() const { return moved_; }            // bytes that sinks ever took
  const char* why() const { return why_; }

 private:
  bool pending() const { return text_sent_ < text_.size() || !body_.empty() || !suffix_.empty(); }
  void took(std::size_t count);
  Status refill(Channel& source);
  bool is_too_large() const { return limit_ != 0 && seen_ > limit_; }
  bool frame(Buffer& in);  // from the source's bytes to text_, body_, suffix_; false: bad
  bool decode_chunks(Buffer& in);

  http::Body body_kind_;
  std::uint64_t left_ = 0;
  std::uint64_t limit_ = 0, seen_ = 0;
  http::ChunkDecoder decoder_;
  bool chunked_out_ = false;
  bool begun_ = false;
  bool finished_ = true;  // all of the source's message was seen

  std::string text_;
  std::size_t text_sent_ = 0;
  std::string_view body_;  // in the source's buffer
  std::string_view suffix_;
  std::size_t consume_ = 0;  // of the source's buffer once body_ was taken
  std::uint64_t body_bytes_ = 0;
  std::uint64_t moved_ = 0;
  const char* why_ = "";
};

}  // namespace lab::gateway
