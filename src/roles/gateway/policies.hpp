// Protected-object policies: conditions on a path that hold whoever asks. The nearest one above a path counts.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "roles/gateway/networks.hpp"
#include "roles/gateway/path.hpp"

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

class Policies {
 public:
  static Result<Policies> create(const std::vector<ObjectPolicy>& policies);

  // Null: the conditions are met; else why not, for the client. `path` in its normal form.
  bool empty() const { return entries_.empty(); }
  const char* objection(std::string_view path, Letters letters, bool https, std::string_view client_address, std::time_t now) const;

 private:
  struct Entry {
    std::string prefix;
    ObjectPolicy policy;
    Networks clients;
  };
  std::vector<Entry> entries_;  // the longest prefix first
};

}  // namespace lab::gateway
