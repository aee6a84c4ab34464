// What `lab agent --start`, `--stop` and `--attach` do on a node.
#pragma once

#include "agent/server.hpp"
#include "lab/units.hpp"

#include <string>

namespace lab::agent {

// Has an agent run in the background, in a session of its own, and returns once it answers. One of this build that answers
// already is success; one of another build is replaced where the options say so, else an error. The calling process must have one thread.
Result<void> start_in_background(const Options& options, Deadline deadline);

// Stops the agent of the folder and its roles, also those whose agent is gone; returns when all have ended. None there: success.
Result<void> stop_in_background(const std::filesystem::path& directory, Deadline deadline);

// Copies `in` to the socket and the socket to `out` until either side ends.
Result<void> attach(const std::string& socket, int in, int out);

}  // namespace lab::agent
