#include "report/html_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>

namespace lab::report {

namespace {

constexpr double kBoxWidth = 150, kBoxHeight = 52, kGapX = 64, kGapY = 18, kMargin = 14, kCaption = 30;

// Requests flow from left to right: drivers, the outer firewall, the gateway, the inner firewall, what stands behind.
int column_of(const Lab& lab, const Node& node) {
  if (node.has(Role::load)) {
    return 0;
  }
  if (node.has(Role::gateway)) {
    return 2;
  }
  if (node.has(Role::firewall)) {
    const bool outer = std::ranges::any_of(lab.nodes, [&](const Node& other) {
      return other.has(Role::load) && std::ranges::any_of(other.networks, [&](const std::string& network) {
               return std::ranges::find(node.networks, network) != node.networks.end();
             });
    });
    return outer ? 1 : 3;
  }
  return node.has(Role::database) ? 5 : 4;
}

// Databases stand behind page servers; all else is reached from the column before.
bool linked(const Node& from, const Node& to) { return !to.has(Role::database) || from.has(Role::pages); }

std::string address_of(const Run& run, const std::string& node) {
  const auto* nodes = run.results.environment.if_contains("nodes");
  if (nodes == nullptr || !nodes->is_array()) {
    return "";
  }
  for (const auto& each : nodes->get_array()) {
    const auto* entry = each.if_object();
    const auto* name = entry != nullptr ? entry->if_contains("name") : nullptr;
    const auto* address = entry != nullptr ? entry->if_contains("address") : nullptr;
    if (name != nullptr && name->is_string() && std::string_view(name->get_string()) == node && address != nullptr &&
        address->is_string()) {
      return std::string(std::string_view(address->get_string()));
    }
  }
  return "";
}

struct Box {
  double x = 0, y = 0;
};

std::string box_svg(const Run& run, const Node& node, const Box& box) {
  std::vector<std::string> roles;
  std::ranges::transform(node.roles, std::back_inserter(roles), [](Role role) { return to_string(role); });
  std::string below = join(roles, ", ");
  if (const std::string address = address_of(run, node.name); !address.empty()) {
    below += " · " + address;
  }
  return fmt::format(
      "<g class=\"node{}\"><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"7\"/>"
      "<text class=\"name\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text><text x=\"{:.0f}\" y=\"{:.0f}\">{}</text></g>\n",
      node.has(Role::gateway) ? " gateway" : "", box.x, box.y, kBoxWidth, kBoxHeight, box.x + kBoxWidth / 2, box.y + 22,
      escape_html(node.name), box.x + kBoxWidth / 2, box.y + 39, escape_html(below));
}

}  // namespace

std::string topology_svg(const Run& run) {
  std::vector<std::vector<const Node*>> columns(6);
  for (const Node& node : run.lab.nodes) {
    columns[static_cast<std::size_t>(column_of(run.lab, node))].push_back(&node);
  }
  std::erase_if(columns, [](const auto& column) { return column.empty(); });
  if (columns.empty()) {
    return "";
  }
  const auto tallest = std::ranges::max(columns, {}, &std::vector<const Node*>::size).size();
  const double inner = static_cast<double>(tallest) * (kBoxHeight + kGapY) - kGapY;
  std::vector<std::vector<Box>> boxes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double used = static_cast<double>(columns[i].size()) * (kBoxHeight + kGapY) - kGapY;
    std::vector<Box> column;
    for (std::size_t j = 0; j < columns[i].size(); ++j) {
      column.push_back({kMargin + static_cast<double>(i) * (kBoxWidth + kGapX),
                        kMargin + (inner - used) / 2 + static_cast<double>(j) * (kBoxHeight + kGapY)});
    }
    boxes.push_back(std::move(column));
  }
  std::string links, nodes;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < columns[i].size(); ++j) {
      nodes += box_svg(run, *columns[i][j], boxes[i][j]);
      names.push_back(columns[i][j]->name);
      for (std::size_t k = 0; i + 1 < columns.size() && k < columns[i + 1].size(); ++k) {
        if (!linked(*columns[i][j], *columns[i + 1][k])) {
          continue;
        }
        const Box &from = boxes[i][j], &to = boxes[i + 1][k];
        const double x1 = from.x + kBoxWidth, y1 = from.y + kBoxHeight / 2, x2 = to.x, y2 = to.y + kBoxHeight / 2, bend = kGapX / 2;
        links += fmt::format("<path class=\"link\" d=\"M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}\"/>\n", x1, y1, x1 + bend,
                             y1, x2 - bend, y2, x2, y2);
      }
    }
  }
  const double width = 2 * kMargin + static_cast<double>(columns.size()) * (kBoxWidth + kGapX) - kGapX;
  const double height = inner + 2 * kMargin + kCaption;
  return fmt::format(
      "<svg class=\"topology\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Requests flow from left to right: {}.\">\n{}{}"
      "<text class=\"flow\" x=\"{:.0f}\" y=\"{:.0f}\">requests flow from left to right →</text>\n</svg>\n",
      width, height, escape_html(join(names, ", ")), links, nodes, kMargin, height - 12);
}

}  // namespace lab::report
