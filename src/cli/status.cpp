#include "orchestrator/status.hpp"

#include "commands.hpp"
#include "labs.hpp"

#include <poll.h>
#include <algorithm>
#include <boost/json.hpp>
#include <iomanip>
#include <memory>
#include <sstream>

namespace lab::cli {

namespace {

using namespace std::chrono_literals;
using orchestrator::Health;

struct Options {
  std::string name;
  bool json = false, watch = false;
};

std::string joined(const std::vector<Role>& roles) {
  std::string text;
  for (const Role role : roles) {
    text += (text.empty() ? "" : ",") + to_string(role);
  }
  return text;
}

const char* colour(Health health) {
  switch (health) {
    case Health::ok: return "\033[32m";
    case Health::down: return "\033[31m";
    case Health::unknown: return "\033[33m";
  }
  return "";
}

std::string method_text(const orchestrator::Status& status) {
  switch (status.cpu_method) {
    case CpuMethod::quota: return "limited by cgroup quota";
    case CpuMethod::stop_continue: return "limited by stopping and continuing (" + status.cpu_note + ")";
    case CpuMethod::none: break;
  }
  return "not limited";
}

void print(Context& context, const orchestrator::Status& status) {
  context.out << "lab " << status.name << ": " << to_string(status.phase) << ", provider " << to_string(status.provider)
              << "; a lab CPU is " << status.cpu_unit << " host CPUs, " << method_text(status) << "\n\n";
  std::size_t node_width = 6, address_width = 9, role_width = 7;
  for (const auto& node : status.nodes) {
    node_width = std::max(node_width, node.name.size() + 2);
    address_width = std::max(address_width, node.address.size() + 2);
    role_width = std::max(role_width, joined(node.roles).size() + 2);
  }
  const bool colours = context.color && context.screen;
  const auto column = [](std::size_t width) { return std::setw(static_cast<int>(width)); };
  context.out << std::left << column(node_width) << "node" << column(address_width) << "address" << column(role_width) << "roles"
              << "health   CPU\n";
  for (const auto& node : status.nodes) {
    std::ostringstream cpu;
    if (node.cpu) {
      cpu << std::fixed << std::setprecision(2) << *node.cpu;
    }
    context.out << column(node_width) << node.name << column(address_width) << node.address << column(role_width) << joined(node.roles)
                << (colours ? colour(node.health) : "") << std::setw(9) << to_string(node.health) << (colours ? "\033[0m" : "")
                << std::setw(6) << cpu.str() << node.why << "\n";
  }
  for (const auto& machine : status.machines) {
    std::ostringstream text;
    text << "machine " << machine.name << ": " << std::fixed << std::setprecision(2) << machine.cpu << " of " << machine.cpus
         << " CPUs in use";
    context.out << text.str() << (machine.lower_bound ? ", at least: only the lab's guests are known" : "") << "\n";
  }
}

// False: there is nothing to look at.
bool show(Context& context, const orchestrator::World& world, const Options& options) {
  const auto name = choose_lab(context, world, options.name);
  if (!name) {
    return false;
  }
  const auto status = orchestrator::look(world, *name, Clock::now() + 10s);
  if (!status) {
    context.fail(status.error());
    return false;
  }
  if (options.json) {
    context.out << boost::json::serialize(to_json(*status)) << std::endl;
  } else {
    print(context, *status);
  }
  context.exit_code = status->ok() ? 0 : static_cast<int>(Failure::failed);
  return true;
}

void run(Context& context, const Options& options) {
  const auto world = open_world(context);
  if (!world) {
    return;
  }
  constexpr int kEveryMs = 2000;
  do {
    if (options.watch && context.screen && !options.json) {
      context.out << "\033[H\033[2J";
    }
    if (!show(context, *world, options)) {
      return;
    }
    context.out << std::flush;
    if (options.watch) {
      poll(nullptr, 0, kEveryMs);  // ended early by Ctrl-C
    }
  } while (options.watch && !context.interrupt.requested());
}

}  // namespace

void add_status(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("status", "nodes, addresses, roles, health, CPU of a standing lab");
  command->add_option("--name", options->name, "of the lab; default: the only one");
  command->add_flag("--json", options->json, "as JSON");
  command->add_flag("--watch", options->watch, "again every two seconds, until Ctrl-C");
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
