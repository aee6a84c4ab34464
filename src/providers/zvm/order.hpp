// From a node of a lab file to what Feilong is asked for.
#pragma once

#include "lab/error.hpp"
#include "providers/provider.hpp"
#include "providers/zvm/calls.hpp"

namespace lab::providers::zvm {

// All but the image's distribution, which Feilong knows. Errors: no network of the node has its address.
Result<GuestOrder> order_of(const Site& site, const Node& node, const FeilongAccess& access);

}  // namespace lab::providers::zvm
