// Provider local: every node is a loopback address with a private sshd and a folder under the lab's state. No root needed, no engine.
#pragma once

#include "providers/provider.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lab::providers::local {

struct Options {
  std::function<std::optional<std::string>(const std::string&)> find_program;  // where a program is
};

std::unique_ptr<Provider> make_local(Options options);
std::unique_ptr<Provider> make_local();  // looks where the shell does

// 127.<100 + slot>.<place of the node's first network, from 1>.<place of the node in the file, from 1>
std::string address_of(const Lab& lab, const Node& node, int slot);
// Whether another lab, perhaps another user's, listens in the slot's address range.
bool slot_taken(int slot);

}  // namespace lab::providers::local
