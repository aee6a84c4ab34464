// LDIF (RFC 2849): content records and change records; folding, base64, comments, `version: 1`.
#pragma once

#include "lab/error.hpp"
#include "ldap/message.hpp"

#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab::ldap {

struct LdifRecord {
  std::string dn;
  std::vector<Attribute> attributes;  // of a content record and of `changetype: add`, in the order of first mention
  int line = 0;                       // of its dn
  // What a change record asks for; monostate: it is a content record.
  std::variant<std::monostate, AddRequest, ModifyRequest, DeleteRequest, ModifyDnRequest> change;
};

// Reads a record at a time, so that a file may be larger than the memory. Errors have "people.ldif:12".
// Refused: values by URL, and controls of change records.
class LdifReader {
 public:
  LdifReader(std::istream& input, std::string path) : input_(input), path_(std::move(path)) {}
  Result<std::optional<LdifRecord>> next();  // nothing at the end

 private:
  struct Line {
    std::string text;  // unfolded
    int number = 0;    // of its first physical line
  };
  struct Pair {
    std::string name, value;
  };
  bool physical(std::string& into);
  bool logical(Line& into);  // comments are left out
  Error error(int line, std::string what, std::string remedy) const;
  Result<Pair> split(const Line& line) const;
  Result<void> read_change(LdifRecord& record, const std::vector<Line>& lines, std::size_t at) const;
  Result<void> read_modify(ModifyRequest& modify, const std::vector<Line>& lines, std::size_t at) const;
  Result<void> read_rename(ModifyDnRequest& rename, const std::vector<Line>& lines, std::size_t at) const;
  Result<void> read_content(LdifRecord& record, const std::vector<Line>& lines, std::size_t at) const;

  std::istream& input_;
  const std::string path_;
  std::string ahead_;  // a physical line read too far
  bool has_ahead_ = false, first_ = true;
  int number_ = 0;          // physical lines read
  int number_of_last_ = 0;  // of the one that was taken last
};

Result<std::vector<LdifRecord>> parse_ldif(std::string_view text, const std::string& path);

// A content record and the empty line after it: folded at 76 characters, in base64 what is not plain.
void append_ldif(std::string& out, const std::string& dn, const std::vector<Attribute>& attributes);

}  // namespace lab::ldap
