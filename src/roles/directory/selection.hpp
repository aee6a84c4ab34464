// Which attributes of an entry an answer has (RFC 4511 section 4.5.1.8), and the answer's bytes.
#pragma once

#include "matcher.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lab::directory {

class Selection {
 public:
  // Nothing asked for, or "*": user attributes; "+": operational ones; "1.1": none; "@class": those of an object class (RFC 4529).
  Selection(const Schema& schema, const std::vector<std::string>& asked, bool types_only, bool sees_secrets);

  // A SearchResultEntry: the name, and the attributes selected.
  void append(ber::Writer& writer, const EntryView& view) const;

 private:
  bool selects(const AttributeType& type) const;
  void append_implied(ber::Writer& writer, const EntryView& view) const;

  bool user_ = false, operational_ = false;
  const bool types_only_, sees_secrets_;
  std::vector<std::shared_ptr<const AttributeType>> types_;
};

}  // namespace lab::directory
