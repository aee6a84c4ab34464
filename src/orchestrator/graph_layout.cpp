#include "orchestrator/graph_layout.hpp"

#include "orchestrator/flows.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace lab::orchestrator {

namespace {

constexpr int kColumn = 174, kStub = 34, kRow = kCardHeight + kStub, kZoneTitle = 52, kGap = 24, kGate = 200, kTitle = 78;
constexpr int kLane = 24, kApart = 14, kLabelFont = 12, kLegend = 58;

using Nodes = std::vector<const Node*>;

// A firewall between neighbouring zones sits in the gap before the later one; nothing else does.
bool is_gate(const Node& node, const std::vector<std::size_t>& places) {
  return node.has(Role::firewall) && places.size() == 2 && places[1] == places[0] + 1;
}

std::string type_of(JunctionType type) { return type == JunctionType::tcp ? "tcp " : type == JunctionType::ssl ? "ssl " : ""; }

// From a gateway to a back end: one arrow, whatever the number of junctions.
std::map<std::pair<const Node*, const Node*>, std::string> labels_of(const Lab& lab) {
  std::map<std::pair<const Node*, const Node*>, std::string> labels;
  for (const Node& gateway : lab.nodes) {
    for (const JunctionPlan& junction : gateway.has(Role::gateway) ? gateway.gateway.junctions : std::vector<JunctionPlan>{}) {
      for (const std::string& server : junction.servers) {
        if (const Node* const to = lab.find(server)) {
          std::string& label = labels[{&gateway, to}];
          label += (label.empty() ? "" : ", ") + type_of(junction.type) + junction.point;
        }
      }
    }
  }
  return labels;
}

// What stands on several networks is drawn in the middle one, what stands on none in the first. Ends of junctions come first, so that they
// are in the upper row.
std::vector<Nodes> sort_into_zones(const Lab& lab, std::map<std::size_t, Nodes>& gates) {
  std::set<const Node*> ends;
  for (const auto& [pair, label] : labels_of(lab)) {
    ends.insert({pair.first, pair.second});
  }
  std::vector<Nodes> zones(std::max<std::size_t>(1, lab.networks.size()));
  for (const Node& node : lab.nodes) {
    const auto places = places_of(lab, node);
    Nodes& into = is_gate(node, places) ? gates[places[1]] : zones[places.empty() ? 0 : places[places.size() / 2]];
    into.push_back(&node);
  }
  for (Nodes& zone : zones) {
    std::stable_partition(zone.begin(), zone.end(), [&](const Node* node) { return ends.contains(node); });
  }
  return zones;
}

// "load → gateway", "8080, 8443", … for each pair of roles.
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
    std::string line;
    for (const std::uint16_t port : open) {
      line += (line.empty() ? "" : ", ") + std::to_string(port);
    }
    lines.insert(lines.end(), {pair, line});
  }
  return lines;
}

void place_gates(Picture& picture, const Lab& lab, const Nodes& firewalls, int gap) {
  int y = picture.backbone - kCardHeight / 2;
  for (const Node* firewall : firewalls) {
    picture.cards.push_back({firewall, gap + (kGate - kCardWidth) / 2, y, true, let_through(lab, firewall->name)});
    y += kCardHeight + kStub + static_cast<int>(picture.cards.back().passes.size()) * kLine;
    picture.zone_bottom = std::max(picture.zone_bottom, y - kStub + kZonePadding);
  }
}

int place_zone(Picture& picture, const Nodes& nodes, const Network* network, int x) {
  const std::size_t columns = std::max<std::size_t>(1, (nodes.size() + 1) / 2);
  const int width = 2 * kZonePadding + static_cast<int>(columns) * kColumn - (kColumn - kCardWidth);
  picture.zones.push_back({network, x, width});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool above = i < columns;
    const auto column = static_cast<int>(above ? i : i - columns);
    picture.cards.push_back(
        {nodes[i], x + kZonePadding + column * kColumn, above ? picture.backbone - kRow : picture.backbone + kStub, false, {}});
  }
  return width;
}

const Card* card_of(const Picture& picture, const Node* node) {
  const auto at = std::find_if(picture.cards.begin(), picture.cards.end(), [&](const Card& card) { return card.node == node; });
  return at == picture.cards.end() ? nullptr : &*at;
}

// In one row, with nothing between, and room for the label.
bool runs_straight(const Picture& picture, const Card& from, const Card& to, const std::string& label) {
  const int left = std::min(from.x, to.x) + kCardWidth, right = std::max(from.x, to.x);
  const bool free = std::none_of(picture.cards.begin(), picture.cards.end(),
                                 [&](const Card& card) { return !card.gate && card.y == from.y && card.x >= left && card.x < right; });
  return from.y == to.y && free && width_of(label, kLabelFont) + kApart <= right - left;
}

Arrow straight(const Card& from, const Card& to, const std::string& label) {
  const bool right = to.x > from.x;
  const Point start{right ? from.x + kCardWidth : from.x, from.middle_y()}, end{right ? to.x : to.x + kCardWidth, to.middle_y()};
  return {&from, &to, label, {start, end}, {(start.x + end.x) / 2, start.y - 8}};
}

// Up, along a lane of its own, down. A card in the lower row is entered from its side's gap.
Arrow through_lane(const Card& from, const Card& to, const std::string& label, int lane, int shift) {
  const int begin = from.middle_x() + shift, end = to.middle_x() - shift;
  Arrow arrow{&from, &to, label, {{begin, from.y}, {begin, lane}}, {(begin + end) / 2, lane - 5}};
  if (to.gate || to.y <= from.y) {
    arrow.path.insert(arrow.path.end(), {{end, lane}, {end, to.y}});
  } else {
    const int beside = to.x - (kColumn - kCardWidth) / 2;
    arrow.path.insert(arrow.path.end(), {{beside, lane}, {beside, to.middle_y()}, {to.x, to.middle_y()}});
  }
  return arrow;
}

// Lanes are counted first, since the cards stand below them.
int lanes_of(const Picture& picture, const std::map<std::pair<const Node*, const Node*>, std::string>& labels) {
  return static_cast<int>(std::count_if(labels.begin(), labels.end(), [&](const auto& one) {
    const Card *const from = card_of(picture, one.first.first), *const to = card_of(picture, one.first.second);
    return from != nullptr && to != nullptr && !runs_straight(picture, *from, *to, one.second);
  }));
}

void move_down(Picture& picture, int by) {
  picture.backbone += by;
  picture.zone_bottom += by;
  for (Card& card : picture.cards) {
    card.y += by;
  }
}

void add_arrows(Picture& picture, const Lab& lab) {
  const auto labels = labels_of(lab);
  const int lanes = lanes_of(picture, labels);
  move_down(picture, lanes * kLane);
  int lane = 0;
  for (const auto& [pair, label] : labels) {
    const Card *const from = card_of(picture, pair.first), *const to = card_of(picture, pair.second);
    if (from == nullptr || to == nullptr) {
      continue;
    }
    if (runs_straight(picture, *from, *to, label)) {
      picture.arrows.push_back(straight(*from, *to, label));
      continue;
    }
    const int shift = (2 * lane - lanes + 1) * kApart / 2;
    picture.arrows.push_back(through_lane(*from, *to, label, picture.zone_top + kZoneTitle + kLane / 2 + lane * kLane, shift));
    ++lane;
  }
}

}  // namespace

std::vector<std::size_t> places_of(const Lab& lab, const Node& node) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    if (std::find(node.networks.begin(), node.networks.end(), lab.networks[i].name) != node.networks.end()) {
      places.push_back(i);
    }
  }
  return places;
}

int width_of(const std::string& text, int font) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return static_cast<int>(letters) * font * 56 / 100;
}

Picture lay_out(const Lab& lab) {
  Picture picture;
  std::map<std::size_t, Nodes> gates;
  const auto zones = sort_into_zones(lab, gates);
  picture.zone_top = kTitle;
  picture.backbone = kTitle + kZoneTitle + kRow;
  picture.zone_bottom = picture.backbone + kRow + kZonePadding;
  int x = kMargin;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    if (const auto at = gates.find(i); at != gates.end()) {
      place_gates(picture, lab, at->second, x - kGap);
      x += kGate - kGap;
    }
    x += place_zone(picture, zones[i], lab.networks.empty() ? nullptr : &lab.networks[i], x) + kGap;
  }
  add_arrows(picture, lab);
  picture.legend = picture.zone_bottom + kMargin;
  picture.width = std::max(x - kGap + kMargin, 640);
  picture.height = picture.legend + kLegend;
  return picture;
}

}  // namespace lab::orchestrator
