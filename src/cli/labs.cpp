#include "labs.hpp"

#include "lab/version.hpp"

namespace lab::cli {

std::optional<orchestrator::World> open_world(Context& context) {
  auto root = orchestrator::default_root();
  if (!root) {
    context.fail(root.error());
    return std::nullopt;
  }
  return orchestrator::real_world(std::move(*root), context.program, build_id());
}

std::optional<std::string> choose_lab(Context& context, const orchestrator::World& world, const std::string& name) {
  auto chosen = orchestrator::choose(world, name);
  if (!chosen) {
    context.fail(chosen.error());
    return std::nullopt;
  }
  return std::move(*chosen);
}

std::function<void(const std::string&)> tell_waiting(Context& context) {
  return [&context](const std::string& holder) {
    if (!context.quiet) {
      context.err << "waiting for " << holder << '\n';
    }
  };
}

}  // namespace lab::cli
