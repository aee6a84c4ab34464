#include "orchestrator/graph.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

namespace lab::orchestrator {

namespace {

// Pixels.
constexpr int kBoxWidth = 150, kBoxHeight = 58, kGap = 26, kBarColumn = 70, kBarWidth = 10, kMargin = 30, kTitle = 40;

struct Box {
  const Node* node = nullptr;
  int x = 0, y = 0;
  int middle_x() const { return x + kBoxWidth / 2; }
  int middle_y() const { return y + kBoxHeight / 2; }
};

struct Bar {
  const Network* network = nullptr;
  int x = 0;
};

struct Picture {
  std::vector<Bar> bars;
  std::vector<Box> boxes;
  int width = 0, height = 0;
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return safe;
}

// Networks stand in odd columns. What is in one alone stands right of it, left of the first; what joins several, between them.
int column_of(const Lab& lab, const Node& node) {
  std::set<int> places;
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    if (std::find(node.networks.begin(), node.networks.end(), lab.networks[i].name) != node.networks.end()) {
      places.insert(static_cast<int>(i));
    }
  }
  if (places.empty() || (places.size() == 1 && *places.begin() == 0)) {
    return 0;
  }
  return 2 * *places.begin() + 2;
}

Picture lay_out(const Lab& lab) {
  Picture picture;
  int x = kMargin;
  std::size_t most = 1;
  for (int column = 0; column <= 2 * static_cast<int>(lab.networks.size()); ++column) {
    if (column % 2 == 1) {
      picture.bars.push_back({&lab.networks[static_cast<std::size_t>(column / 2)], x + kBarColumn / 2 - kBarWidth / 2});
      x += kBarColumn;
      continue;
    }
    std::size_t row = 0;
    for (const Node& node : lab.nodes) {
      if (column_of(lab, node) == column) {
        picture.boxes.push_back({&node, x, kTitle + kMargin + static_cast<int>(row++) * (kBoxHeight + kGap)});
      }
    }
    most = std::max(most, row);
    x += row > 0 ? kBoxWidth : 0;
  }
  picture.width = x + kMargin;
  picture.height = kTitle + 2 * kMargin + static_cast<int>(most) * (kBoxHeight + kGap);
  return picture;
}

void draw_wires(std::ostream& out, const Picture& picture) {
  for (const Box& box : picture.boxes) {
    for (const Bar& bar : picture.bars) {
      const auto& networks = box.node->networks;
      if (std::find(networks.begin(), networks.end(), bar.network->name) != networks.end()) {
        const int from = bar.x > box.x ? box.x + kBoxWidth : box.x;
        out << "<line class=\"wire\" x1=\"" << from << "\" y1=\"" << box.middle_y() << "\" x2=\"" << bar.x + kBarWidth / 2 << "\" y2=\""
            << box.middle_y() << "\"/>\n";
      }
    }
  }
}

void draw_junctions(std::ostream& out, const Picture& picture) {
  for (const Box& from : picture.boxes) {
    if (!from.node->has(Role::gateway)) {
      continue;
    }
    for (const JunctionPlan& junction : from.node->gateway.junctions) {
      for (const std::string& server : junction.servers) {
        const auto to = std::find_if(picture.boxes.begin(), picture.boxes.end(), [&](const Box& box) { return box.node->name == server; });
        if (to != picture.boxes.end()) {
          out << "<path class=\"junction\" d=\"M" << from.middle_x() << " " << from.y + kBoxHeight << " C" << from.middle_x() << " "
              << from.y + kBoxHeight + kGap << " " << to->x - kGap << " " << to->y + kBoxHeight - 8 << " " << to->x << " "
              << to->y + kBoxHeight - 8 << "\"><title>junction " << escaped(junction.point) << " to " << escaped(server)
              << "</title></path>\n";
        }
      }
    }
  }
}

void draw_box(std::ostream& out, const Box& box, const Addresses& addresses) {
  std::string roles;
  for (const Role role : box.node->roles) {
    roles += (roles.empty() ? "" : ", ") + to_string(role);
  }
  const auto address = addresses.find(box.node->name);
  const auto text = [&](const char* style, int line, const std::string& words) {
    out << "<text class=\"" << style << "\" x=\"" << box.middle_x() << "\" y=\"" << box.y + line << "\">" << escaped(words) << "</text>\n";
  };
  out << "<rect class=\"" << (box.node->has(Role::firewall) ? "firewall" : "node") << "\" x=\"" << box.x << "\" y=\"" << box.y
      << "\" width=\"" << kBoxWidth << "\" height=\"" << kBoxHeight << "\" rx=\"6\"/>\n";
  text("name", 19, box.node->name);
  text("small", 35, roles);
  text("small", 50, address == addresses.end() ? "" : address->second);
}

constexpr const char* kStyle =
    "<style>text{font-family:sans-serif;text-anchor:middle;fill:#222}.title{font-size:16px;text-anchor:start}.name{font-size:14px;font-"
    "weight:bold}"
    ".small{font-size:11px;fill:#555}.node{fill:#eef4fb;stroke:#36618e}.firewall{fill:#fdeee9;stroke:#b0472c}.bar{fill:#8a8f98}"
    ".wire{stroke:#8a8f98;stroke-width:1.5}.junction{fill:none;stroke:#36618e;stroke-dasharray:5 4;stroke-width:1.5}</style>\n";

}  // namespace

std::string graph_svg(const Lab& lab, const Addresses& addresses) {
  const Picture picture = lay_out(lab);
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << picture.width << " " << picture.height
      << "\" role=\"img\" aria-label=\"topology of lab " << escaped(lab.name) << "\">\n"
      << kStyle << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      << "<text class=\"title\" x=\"" << kMargin << "\" y=\"28\">lab " << escaped(lab.name) << "</text>\n";
  draw_wires(out, picture);
  for (const Bar& bar : picture.bars) {
    out << "<rect class=\"bar\" x=\"" << bar.x << "\" y=\"" << kTitle + kMargin - 8 << "\" width=\"" << kBarWidth << "\" height=\""
        << picture.height - kTitle - 2 * kMargin << "\" rx=\"4\"/>\n<text class=\"small\" x=\"" << bar.x + kBarWidth / 2 << "\" y=\""
        << picture.height - kMargin / 2 << "\">" << escaped(bar.network->name) << "</text>\n";
  }
  draw_junctions(out, picture);
  for (const Box& box : picture.boxes) {
    draw_box(out, box, addresses);
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace lab::orchestrator
