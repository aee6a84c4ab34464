#include "roles/gateway/body_collector.hpp"

#include <algorithm>

namespace lab::gateway {

void BodyCollector::start(const http::Body& body, std::size_t limit) {
  kind_ = body;
  left_ = body.length;
  limit_ = limit;
  decoder_.reset();
  body_.clear();
}

BodyCollector::Status BodyCollector::take(Buffer& in) {
  if (kind_.kind != http::BodyKind::chunked) {
    if (left_ > limit_ - body_.size()) {
      return Status::too_large;
    }
    const std::string_view part = in.data().substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.data().size())));
    body_ += part;
    left_ -= part.size();
    in.consume(part.size());
    return left_ == 0 ? Status::done : Status::more;
  }
  for (;;) {
    const http::ChunkDecoder::Step step = decoder_.next(in.data());
    if (step.status == http::Parse::bad) {
      return Status::bad;
    }
    if (step.body.size() > limit_ - body_.size()) {
      return Status::too_large;
    }
    body_ += step.body;
    in.consume(step.consumed);
    if (step.status == http::Parse::done) {
      return Status::done;
    }
    if (in.empty()) {
      return Status::more;
    }
  }
}

}  // namespace lab::gateway
