// What the lab's firewalls let through and dropped during a run.
#pragma once

#include "report/host.hpp"

namespace lab::report {

// A row a flow that was declared, and one for what was dropped, of each firewall; empty for a lab without any.
Facts firewall_facts(const Run& run);

}  // namespace lab::report
