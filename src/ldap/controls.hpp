// Controls that the directory understands, their values decoded; and what a server says that it supports.
#pragma once

#include "ldap/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::ldap {

constexpr std::string_view kPagedResults = "1.2.840.113556.1.4.319";  // RFC 2696
constexpr std::string_view kSortRequest = "1.2.840.113556.1.4.473";   // RFC 2891
constexpr std::string_view kSortResponse = "1.2.840.113556.1.4.474";
constexpr std::string_view kAssertion = "1.3.6.1.1.12";               // RFC 4528
constexpr std::string_view kPreRead = "1.3.6.1.1.13.1";               // RFC 4527
constexpr std::string_view kPostRead = "1.3.6.1.1.13.2";              // RFC 4527
constexpr std::string_view kManageDsaIt = "2.16.840.1.113730.3.4.2";  // RFC 3296: there are no referrals here to manage
constexpr std::string_view kDomainScope = "1.2.840.113556.1.4.1339";  // no referrals: there are none

struct PagedResults {
  int size = 0;
  std::string cookie;  // empty: the first page; in a response: no more
};

struct SortKey {
  std::string attribute;
  std::string matching_rule;  // empty: the attribute's ordering rule
  bool reverse = false;
};

struct RequestControls {
  std::optional<PagedResults> paged;
  bool paged_critical = false;
  std::vector<SortKey> sort;  // empty: not asked for
  std::optional<Filter> assertion;
  std::optional<std::vector<std::string>> pre_read, post_read;  // attributes
};

// Success, or why the controls cannot be obeyed: an unknown critical one (12), one that is malformed or comes twice (2).
Outcome read_controls(const std::vector<Control>& controls, RequestControls& into);

Control paged_response(const std::string& cookie);
Control sort_response(ResultCode code);
Control read_entry_response(std::string_view oid, const std::string& search_entry);  // its SearchResultEntry, encoded

std::vector<std::string> supported_controls();
std::vector<std::string> supported_extensions();
std::vector<std::string> supported_features();

}  // namespace lab::ldap
