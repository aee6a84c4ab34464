// What has to be there before a guest can be created, asked of Feilong.
#pragma once

#include "lab/error.hpp"
#include "providers/zvm/calls.hpp"
#include "providers/zvm/feilong.hpp"

#include <string>
#include <vector>

namespace lab::providers::zvm {

// "1.6.7"; errors say what is wrong with Feilong, its server or the token.
Result<std::string> version_of(Feilong& feilong, Deadline deadline);

// The distribution of the image, "rhel8.6", into the order. Everything that is missing: the image, the virtual switch.
Errors check_order(Feilong& feilong, GuestOrder& order, const std::string& node, Deadline deadline);
std::vector<Call> calls_of_check(const GuestOrder& order);

}  // namespace lab::providers::zvm
