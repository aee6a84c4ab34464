// How everything that a lab creates in an engine is called and labelled, so that it is found without any record.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

namespace lab::providers::container {

// Labs of one name under different state folders must not meet in the one engine of a user: "lab-NAME-<8 hex digits>".
class Naming {
 public:
  Naming(const std::string& lab, const std::filesystem::path& state);
  std::string container(const std::string& node) const { return prefix_ + "-" + node; }
  std::string network(const std::string& network) const { return prefix_ + "-" + network; }
  const std::string& prefix() const { return prefix_; }
  std::string node_of(const std::string& container) const { return container.substr(std::min(container.size(), prefix_.size() + 1)); }
  std::string label() const { return "lab=" + prefix_; }
  std::string filter() const { return "label=" + label(); }

 private:
  std::string prefix_;
};

}  // namespace lab::providers::container
