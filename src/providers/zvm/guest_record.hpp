// What is known of a guest between commands: <state>/guests/NODE.json, written before Feilong is asked to create it and after each step.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::zvm {

// How far a guest has come; each step needs those before it.
enum class Stage { intended, created, deployed, wired, coupled, granted, ready };

struct GuestRecord {
  std::string node, userid, vswitch;
  Stage stage = Stage::intended;
  bool given = false;              // it exists without the lab, which only changes its CPUs
  bool stray = false;              // it is in z/VM's directory, and Feilong does not know it
  std::vector<int> online_before;  // given: the CPUs that were online when the lab came; empty: not touched
  std::string directory, machine;  // once it is ready
  std::string architecture;        // likewise: "s390x"
};

Result<void> save(const std::filesystem::path& state, const GuestRecord& record);
std::optional<GuestRecord> load(const std::filesystem::path& state, const std::string& node);
std::vector<GuestRecord> load_all(const std::filesystem::path& state);
void forget(const std::filesystem::path& state, const std::string& node);  // and the folder with the last one

// A comment in a guest's directory entry, "LAB 0123456789abcdef NODE", at most 61 characters: which node of which lab it is.
std::string label_of(const std::string& lab, const std::filesystem::path& state, const std::string& node);
// The node that a directory entry's label names, where it is of this lab; z/VM may have made it upper case.
std::optional<std::string> labelled_node(const std::vector<std::string>& entry, const std::string& lab, const std::filesystem::path& state);
// Whether that name, from a label, is the node's.
bool names_node(std::string_view labelled, const std::string& node);

}  // namespace lab::providers::zvm
