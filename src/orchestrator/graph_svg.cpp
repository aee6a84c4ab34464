// The picture: a zone a network, side by side over one backbone; nodes hang off it above and below, firewalls sit on it between zones.
#include "orchestrator/flows.hpp"
#include "orchestrator/graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace lab::orchestrator {

namespace {

// Pixels.
constexpr int kCardWidth = 150, kCardHeight = 64, kColumn = 174, kStub = 34, kRow = kCardHeight + kStub;
constexpr int kZonePadding = 18, kZoneTitle = 46, kGap = 24, kGate = 196, kMargin = 32, kTitle = 76, kLine = 16;

struct Card {
  const Node* node = nullptr;
  int x = 0, y = 0;
  bool gate = false;  // on the backbone between zones
  int middle_x() const { return x + kCardWidth / 2; }
  int middle_y() const { return y + kCardHeight / 2; }
};

struct Zone {
  const Network* network = nullptr;
  int x = 0, width = 0;
};

struct Picture {
  std::vector<Zone> zones;
  std::vector<Card> cards;
  int backbone = 0, zone_top = 0, zone_bottom = 0, width = 0, height = 0;
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return safe;
}

std::string format_network(const Network& network) {
  std::ostringstream text;
  text << (network.address >> 24U) << "." << (network.address >> 16U & 255U) << "." << (network.address >> 8U & 255U) << "."
       << (network.address & 255U) << "/" << network.prefix;
  return text.str();
}

std::vector<std::size_t> places_of(const Lab& lab, const Node& node) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    if (std::find(node.networks.begin(), node.networks.end(), lab.networks[i].name) != node.networks.end()) {
      places.push_back(i);
    }
  }
  return places;
}

// A firewall between neighbouring zones sits in the gap before the later one; nothing else does.
bool is_gate(const Node& node, const std::vector<std::size_t>& places) {
  return node.has(Role::firewall) && places.size() == 2 && places[1] == places[0] + 1;
}

// What stands on several networks is drawn in the middle one. Nodes without a network are drawn in the first.
std::vector<std::vector<const Node*>> sort_into_zones(const Lab& lab, std::map<std::size_t, std::vector<const Node*>>& gates) {
  std::vector<std::vector<const Node*>> zones(std::max<std::size_t>(1, lab.networks.size()));
  for (const Node& node : lab.nodes) {
    const auto places = places_of(lab, node);
    if (is_gate(node, places)) {
      gates[places[1]].push_back(&node);
    } else {
      zones[places.empty() ? 0 : places[places.size() / 2]].push_back(&node);
    }
  }
  return zones;
}

Picture lay_out(const Lab& lab) {
  Picture picture;
  std::map<std::size_t, std::vector<const Node*>> gates;
  const auto zones = sort_into_zones(lab, gates);
  picture.zone_top = kTitle;
  picture.backbone = kTitle + kZoneTitle + kRow;
  picture.zone_bottom = picture.backbone + kRow + kZonePadding;
  int x = kMargin;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (const auto at = gates.find(i); at != gates.end()) {
      int y = picture.backbone - kCardHeight / 2;
      for (const Node* firewall : at->second) {
        picture.cards.push_back({firewall, x - kGap + (kGate - kCardWidth) / 2, y, true});
        y += kCardHeight + kStub;
      }
      x += kGate - kGap;
    }
    const int columns = std::max(1, static_cast<int>(zones[i].size() + 1) / 2);
    const int width = 2 * kZonePadding + columns * kColumn - (kColumn - kCardWidth);
    picture.zones.push_back({lab.networks.empty() ? nullptr : &lab.networks[i], x, width});
    for (std::size_t k = 0; k < zones[i].size(); ++k) {
      const int y = k % 2 == 0 ? picture.backbone - kRow : picture.backbone + kStub;
      picture.cards.push_back({zones[i][k], x + kZonePadding + static_cast<int>(k / 2) * kColumn, y, false});
    }
    x += width + kGap;
  }
  picture.width = x - kGap + kMargin;
  picture.height = picture.zone_bottom + kMargin + kLine;
  return picture;
}

const char* colour_of(const Node& node) {
  static const std::map<Role, const char*> colours{{Role::load, "#2563a8"},    {Role::gateway, "#7a3ea8"},   {Role::firewall, "#c2410c"},
                                                   {Role::pages, "#b7791f"},   {Role::directory, "#2f855a"}, {Role::database, "#55606e"},
                                                   {Role::external, "#55606e"}};
  return node.roles.empty() ? "#55606e" : colours.at(node.roles.front());
}

void text(std::ostream& out, const char* style, int x, int y, const std::string& words) {
  out << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">" << escaped(words) << "</text>\n";
}

void draw_zones(std::ostream& out, const Picture& picture) {
  for (const Zone& zone : picture.zones) {
    out << "<rect class=\"zone\" x=\"" << zone.x << "\" y=\"" << picture.zone_top << "\" width=\"" << zone.width << "\" height=\""
        << picture.zone_bottom - picture.zone_top << "\" rx=\"14\"/>\n";
    if (zone.network != nullptr) {
      text(out, "network", zone.x + kZonePadding, picture.zone_top + 22, zone.network->name);
      text(out, "address", zone.x + kZonePadding, picture.zone_top + 38, format_network(*zone.network));
    }
  }
}

// A piece of backbone through each zone, and on to the nodes that stand in other zones too.
void draw_wires(std::ostream& out, const Lab& lab, const Picture& picture) {
  const auto line = [&](int x1, int y1, int x2, int y2) {
    out << "<path class=\"wire\" d=\"M" << x1 << " " << y1 << "L" << x2 << " " << y2 << "\"/>\n";
  };
  for (const Zone& zone : picture.zones) {
    line(zone.x + kZonePadding, picture.backbone, zone.x + zone.width - kZonePadding, picture.backbone);
  }
  for (const Card& card : picture.cards) {
    if (!card.gate) {
      line(card.middle_x(), card.y < picture.backbone ? card.y + kCardHeight : card.y, card.middle_x(), picture.backbone);
    }
    for (const std::size_t place : places_of(lab, *card.node)) {
      const Zone& zone = picture.zones[place];
      if (card.middle_x() < zone.x || card.middle_x() > zone.x + zone.width) {
        const int edge = zone.x > card.x ? zone.x + kZonePadding : zone.x + zone.width - kZonePadding;
        line(card.middle_x(), card.gate ? card.middle_y() : picture.backbone, edge, picture.backbone);
      }
    }
  }
}

void draw_junctions(std::ostream& out, const Picture& picture) {
  for (const Card& from : picture.cards) {
    for (const JunctionPlan& junction : from.node->has(Role::gateway) ? from.node->gateway.junctions : std::vector<JunctionPlan>{}) {
      for (const std::string& server : junction.servers) {
        const auto to =
            std::find_if(picture.cards.begin(), picture.cards.end(), [&](const Card& card) { return card.node->name == server; });
        if (to == picture.cards.end()) {
          continue;
        }
        const bool right = to->x >= from.x;
        const int x1 = right ? from.x + kCardWidth : from.x, x2 = right ? to->x : to->x + kCardWidth, bend = (x2 - x1) / 2;
        out << "<path class=\"junction\" marker-end=\"url(#arrow)\" d=\"M" << x1 << " " << from.middle_y() << "C" << x1 + bend << " "
            << from.middle_y() << " " << x2 - bend << " " << to->middle_y() << " " << x2 << " " << to->middle_y() << "\"><title>junction "
            << escaped(junction.point) << " to " << escaped(server) << "</title></path>\n";
        text(out, "label", x1 + (right ? 10 : -10), from.middle_y() - 8, junction.point);
      }
    }
  }
}

// "load → gateway 8080, 8443": what a firewall lets through, a line for each pair of roles.
std::vector<std::string> let_through(const Lab& lab, const std::string& firewall) {
  std::map<std::string, std::set<std::uint16_t>> ports;
  for (const Flow& flow : flows_of(lab)) {
    const auto hops = way(lab, flow.from, flow.to);
    if (hops && std::any_of(hops->begin(), hops->end(), [&](const Hop& hop) { return hop.firewall == firewall; })) {
      ports[to_string(lab.find(flow.from)->roles.front()) + " → " + to_string(lab.find(flow.to)->roles.front())].insert(flow.port);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [pair, open] : ports) {
    std::string line = pair;
    for (const std::uint16_t port : open) {
      line += (port == *open.begin() ? " " : ", ") + std::to_string(port);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void draw_card(std::ostream& out, const Lab& lab, const Card& card, const Addresses& addresses) {
  std::string roles;
  for (const Role role : card.node->roles) {
    roles += (roles.empty() ? "" : ", ") + to_string(role);
  }
  const auto address = addresses.find(card.node->name);
  out << "<rect class=\"card\" x=\"" << card.x << "\" y=\"" << card.y << "\" width=\"" << kCardWidth << "\" height=\"" << kCardHeight
      << "\" rx=\"8\" stroke=\"" << colour_of(*card.node) << "\"/>\n<rect x=\"" << card.x << "\" y=\"" << card.y + 10
      << "\" width=\"5\" height=\"" << kCardHeight - 20 << "\" rx=\"2\" fill=\"" << colour_of(*card.node) << "\"/>\n";
  text(out, "name", card.x + 16, card.y + 22, card.node->name);
  text(out, "role", card.x + 16, card.y + 39, roles);
  text(out, "address", card.x + 16, card.y + 54, address == addresses.end() ? "" : address->second);
  int y = card.y + kCardHeight + kLine + 4;
  for (const std::string& line : card.gate ? let_through(lab, card.node->name) : std::vector<std::string>{}) {
    text(out, "rule", card.middle_x(), y, line);
    y += kLine;
  }
}

constexpr const char* kHead =
    "<style>text{font-family:'Helvetica Neue',Helvetica,Arial,sans-serif;fill:#1f2733}.title{font-size:24px;font-weight:600}"
    ".subtitle{font-size:13px;fill:#5b6675}.network{font-size:15px;font-weight:600}.name{font-size:14px;font-weight:600}"
    ".role{font-size:12px;fill:#4a5462}.address{font-size:11px;fill:#5b6675;font-family:Menlo,Consolas,monospace}"
    ".rule{font-size:11px;fill:#9a3412;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:5px}.label{font-size:11px;fill:#"
    "6b3a94}"
    ".zone{fill:#f3f6fa;stroke:#d5dde8}.card{fill:#fff;stroke-width:1.5}.wire{stroke:#93a1b3;stroke-width:3;stroke-linecap:round}"
    ".junction{fill:none;stroke:#7a3ea8;stroke-dasharray:6 5;stroke-width:1.8}</style>\n"
    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
    "<path d=\"M0 0L8 4L0 8z\" fill=\"#7a3ea8\"/></marker></defs>\n";

}  // namespace

std::string graph_svg(const Lab& lab, const Addresses& addresses) {
  const Picture picture = lay_out(lab);
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << picture.width << " " << picture.height << "\" width=\""
      << picture.width << "\" height=\"" << picture.height << "\" role=\"img\" aria-label=\"topology of lab " << escaped(lab.name)
      << "\">\n"
      << kHead << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  text(out, "title", kMargin, 36, lab.name);
  text(out, "subtitle", kMargin, 58,
       std::to_string(lab.nodes.size()) + " nodes, provider " + to_string(lab.provider) + "; dashed: junctions of the gateway");
  draw_zones(out, picture);
  draw_wires(out, lab, picture);
  draw_junctions(out, picture);
  for (const Card& card : picture.cards) {
    draw_card(out, lab, card, addresses);
  }
  out << "</svg>\n";
  return out.str();
}

}  // namespace lab::orchestrator
