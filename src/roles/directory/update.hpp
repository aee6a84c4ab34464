// Changes to the tree: add, modify, delete, modify DN (RFC 4511 sections 4.6 to 4.9), checked as a strict server checks them.
#pragma once

#include "ldap/controls.hpp"
#include "tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

class Update {
 public:
  struct By {
    std::string dn;             // whose name goes into creatorsName and modifiersName; empty: anonymous
    bool may_write = false;     // the administrator
    bool checks_schema = true;  // not so for changes in an LDIF file, whose entries may have types of their own
  };
  // The tree is locked for writing as long as the update lives.
  Update(Tree& tree, By by, const ldap::RequestControls& controls) : tree_(tree), by_(std::move(by)), controls_(controls) {}

  ldap::Outcome apply(const ldap::AddRequest& request);
  ldap::Outcome apply(const ldap::ModifyRequest& request);
  ldap::Outcome apply(const ldap::DeleteRequest& request);
  ldap::Outcome apply(const ldap::ModifyDnRequest& request);

  const std::vector<ldap::Control>& response_controls() const { return response_controls_; }  // pre-read, post-read

 private:
  ldap::Outcome locate(const std::string& dn, std::optional<Names>& names) const;  // what can be said before the entry is looked for
  ldap::Outcome find(const std::string& dn, EntryId& id);                          // …and with it: there, writable, as asserted
  ldap::Outcome check_values(const ldap::Attribute& attribute) const;
  ldap::Outcome change(std::vector<ldap::Attribute>& attributes, const ldap::Change& change) const;
  ldap::Outcome find_new_place(const ldap::ModifyDnRequest& request, EntryId id, std::optional<Names>& names, EntryId& parent) const;
  ldap::Outcome check_classes(const std::vector<ldap::Attribute>& attributes, const std::string& structural_before) const;
  void stamp(std::vector<ldap::Attribute>& attributes, EntryId id) const;
  void read_back(std::string_view control, const std::optional<std::vector<std::string>>& asked, EntryId id);

  Tree& tree_;
  const By by_;
  const ldap::RequestControls& controls_;
  std::vector<ldap::Control> response_controls_;
};

}  // namespace lab::directory
