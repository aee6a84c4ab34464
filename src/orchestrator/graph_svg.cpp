// The picture that graph_layout.hpp lays out, as SVG that needs no network and no fonts of its own.
#include "orchestrator/graph.hpp"
#include "orchestrator/graph_layout.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

namespace lab::orchestrator {

namespace {

constexpr int kTextWidth = kCardWidth - 26, kNameFont = 15, kRoleFont = 12, kRadius = 10;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return safe;
}

// The whole name stands in the card's title.
std::string fitted(std::string text, int font) {
  while (width_of(text, font) > kTextWidth) {
    text.resize(text.size() - (text.ends_with("…") ? 4 : 1));
    text += "…";
  }
  return text;
}

std::string format_network(const Network& network) {
  std::ostringstream text;
  text << (network.address >> 24U) << "." << (network.address >> 16U & 255U) << "." << (network.address >> 8U & 255U) << "."
       << (network.address & 255U) << "/" << network.prefix;
  return text.str();
}

const std::vector<std::pair<Role, const char*>>& colours() {
  static const std::vector<std::pair<Role, const char*>> all{
      {Role::load, "#2563a8"},      {Role::firewall, "#c2410c"}, {Role::gateway, "#7a3ea8"},  {Role::guest, "#0f766e"},
      {Role::directory, "#2f855a"}, {Role::pages, "#b7791f"},    {Role::database, "#55606e"}, {Role::external, "#1f2733"}};
  return all;
}

const char* colour_of(Role role) {
  return std::find_if(colours().begin(), colours().end(), [&](const auto& one) { return one.first == role; })->second;
}

const char* colour_of(const Node& node) { return colour_of(node.roles.empty() ? Role::external : node.roles.front()); }

std::string roles_of(const Node& node) {
  std::ostringstream text;
  for (const Role role : node.roles) {
    text << (role == node.roles.front() ? "" : ", ") << to_string(role);
  }
  if (node.cpus) {
    text << ", " << *node.cpus << " CPU" << (*node.cpus == 1 ? "" : "s");
  }
  if (!node.machine.empty()) {
    text << " on " << node.machine;
  }
  return text.str();
}

void text(std::ostream& out, const char* style, int x, int y, const std::string& words) {
  out << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">" << escaped(words) << "</text>\n";
}

void line(std::ostream& out, const char* style, Point from, Point to) {
  out << "<path class=\"" << style << "\" d=\"M" << from.x << " " << from.y << "L" << to.x << " " << to.y << "\"/>\n";
}

void draw_zones(std::ostream& out, const Picture& picture) {
  for (const Zone& zone : picture.zones) {
    out << "<rect class=\"zone\" x=\"" << zone.x << "\" y=\"" << picture.zone_top << "\" width=\"" << zone.width << "\" height=\""
        << picture.zone_bottom - picture.zone_top << "\" rx=\"14\"/>\n";
    if (zone.network != nullptr) {
      text(out, "network", zone.x + kZonePadding, picture.zone_top + 24, zone.network->name);
      text(out, "address", zone.x + kZonePadding, picture.zone_top + 41, format_network(*zone.network));
    }
  }
}

// A piece of backbone through each zone, and on to the nodes that stand in other zones too.
void draw_wires(std::ostream& out, const Lab& lab, const Picture& picture) {
  const int y = picture.backbone;
  for (const Zone& zone : picture.zones) {
    line(out, "wire", {zone.x + kZonePadding, y}, {zone.x + zone.width - kZonePadding, y});
  }
  for (const Card& card : picture.cards) {
    const int x = card.middle_x();
    if (!card.gate) {
      line(out, "wire", {x, card.y < y ? card.y + kCardHeight : card.y}, {x, y});
    }
    for (const std::size_t place : places_of(lab, *card.node)) {
      const Zone& zone = picture.zones[place];
      if (x < zone.x || x > zone.x + zone.width) {
        line(out, "wire", {x, card.gate ? card.middle_y() : y},
             {zone.x > card.x ? zone.x + kZonePadding : zone.x + zone.width - kZonePadding, y});
      }
    }
  }
}

// Corners are rounded: each is a quadratic curve between points a little before and after it.
std::string rounded(const std::vector<Point>& path) {
  const auto towards = [](Point from, Point to) {
    const auto step = [](int a, int b) { return b > a ? std::min(kRadius, b - a) : -std::min(kRadius, a - b); };
    return Point{from.x + step(from.x, to.x), from.y + step(from.y, to.y)};
  };
  std::ostringstream out;
  out << "M" << path.front().x << " " << path.front().y;
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const Point before = towards(path[i], path[i - 1]), after = towards(path[i], path[i + 1]);
    out << "L" << before.x << " " << before.y << "Q" << path[i].x << " " << path[i].y << " " << after.x << " " << after.y;
  }
  out << "L" << path.back().x << " " << path.back().y;
  return out.str();
}

void draw_arrows(std::ostream& out, const Picture& picture) {
  for (const Arrow& arrow : picture.arrows) {
    out << "<path class=\"junction\" marker-end=\"url(#arrow)\" d=\"" << rounded(arrow.path) << "\"><title>junction "
        << escaped(arrow.label) << " to " << escaped(arrow.to->node->name) << "</title></path>\n";
  }
}

// Last of all, each with a halo: no line runs through them.
void draw_labels(std::ostream& out, const Picture& picture) {
  for (const Arrow& arrow : picture.arrows) {
    text(out, "label", arrow.label_middle.x, arrow.label_middle.y, arrow.label);
  }
  for (const Card& card : picture.cards) {
    int y = card.y + kCardHeight + kLine + 3;
    for (std::size_t i = 0; i < card.passes.size(); ++i) {
      text(out, i % 2 == 0 ? "rule" : "ports", card.middle_x(), y, card.passes[i]);
      y += kLine;
    }
  }
}

// A firewall is a hexagon.
std::string outline(const Card& card) {
  constexpr int kPoint = 16;
  const int left = card.x, right = card.x + kCardWidth, top = card.y, bottom = card.y + kCardHeight;
  std::ostringstream out;
  if (card.node->has(Role::firewall)) {
    out << "<path d=\"M" << left << " " << card.middle_y() << "L" << left + kPoint << " " << top << "H" << right - kPoint << "L" << right
        << " " << card.middle_y() << "L" << right - kPoint << " " << bottom << "H" << left + kPoint << "Z\"";
  } else {
    out << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << kCardWidth << "\" height=\"" << kCardHeight << "\" rx=\"8\"";
  }
  return out.str();
}

void draw_card(std::ostream& out, const Card& card, const Addresses& addresses) {
  const Node& node = *card.node;
  const auto found = addresses.find(node.name);
  const std::string address = found == addresses.end() ? "" : found->second;
  out << "<g><title>" << escaped(node.name) << "</title>" << outline(card) << " class=\"card\" stroke=\"" << colour_of(node) << "\"/>\n";
  const int x = card.x + (node.has(Role::firewall) ? 22 : 16), lift = address.empty() ? 6 : 0;
  if (!node.has(Role::firewall)) {
    out << "<rect x=\"" << card.x << "\" y=\"" << card.y + 10 << "\" width=\"5\" height=\"" << kCardHeight - 20 << "\" rx=\"2\" fill=\""
        << colour_of(node) << "\"/>\n";
  }
  text(out, "name", x, card.y + 22 + lift, fitted(node.name, kNameFont));
  text(out, "role", x, card.y + 39 + lift, fitted(roles_of(node), kRoleFont));
  if (!address.empty()) {
    text(out, "address", x, card.y + 54, address);
  }
  out << "</g>\n";
}

// What colours and lines mean; only what the picture has.
void draw_legend(std::ostream& out, const Lab& lab, const Picture& picture) {
  constexpr int kSample = 26, kFont = 12, kBetween = 26;
  int x = kMargin, y = picture.legend;
  const auto entry = [&](const std::string& words, const std::function<void(int, int)>& sample) {
    const int width = kSample + 8 + width_of(words, kFont) + kBetween;
    if (x + width - kBetween > picture.width - kMargin) {
      x = kMargin;
      y += 22;
    }
    sample(x, y);
    text(out, "role", x + kSample + 8, y + 4, words);
    x += width;
  };
  for (const auto& [role, colour] : colours()) {
    if (std::any_of(lab.nodes.begin(), lab.nodes.end(), [r = role](const Node& node) { return node.has(r); })) {
      entry(to_string(role), [&, c = colour](int left, int middle) {
        out << "<rect x=\"" << left + 6 << "\" y=\"" << middle - 7 << "\" width=\"14\" height=\"14\" rx=\"3\" fill=\"" << c << "\"/>\n";
      });
    }
  }
  entry("network", [&](int left, int middle) { line(out, "wire", {left, middle}, {left + kSample, middle}); });
  if (!picture.arrows.empty()) {
    entry("junction", [&](int left, int middle) {
      out << "<path class=\"junction\" marker-end=\"url(#arrow)\" d=\"M" << left << " " << middle << "h" << kSample << "\"/>\n";
    });
  }
  if (std::any_of(picture.cards.begin(), picture.cards.end(), [](const Card& card) { return !card.passes.empty(); })) {
    entry("what a firewall lets through; it drops all else",
          [&](int left, int middle) { text(out, "ports", left + 13, middle + 4, "80"); });
  }
}

constexpr const char* kHead =
    "<style>text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;fill:#1f2733}.title{font-size:26px;font-weight:600}"
    ".subtitle{font-size:14px;fill:#5b6675}.network{font-size:16px;font-weight:600}.name{font-size:15px;font-weight:600}"
    ".role{font-size:12px;fill:#4a5462}.address{font-size:11px;fill:#5b6675;font-family:Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    ".rule,.ports,.label{font-size:12px;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}"
    ".rule{fill:#9a3412;font-weight:600}.ports{fill:#9a3412}.label{fill:#6b3a94;font-weight:600}"
    ".zone{fill:#f3f6fa;stroke:#d5dde8}.card{fill:#fff;stroke-width:1.8;stroke-linejoin:round}"
    ".wire{stroke:#93a1b3;stroke-width:3;stroke-linecap:round}"
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
  text(out, "title", kMargin, 38, lab.name);
  text(out, "subtitle", kMargin, 60, std::to_string(lab.nodes.size()) + " nodes, provider " + to_string(lab.provider));
  draw_zones(out, picture);
  draw_wires(out, lab, picture);
  draw_arrows(out, picture);
  for (const Card& card : picture.cards) {
    draw_card(out, card, addresses);
  }
  draw_labels(out, picture);
  draw_legend(out, lab, picture);
  out << "</svg>\n";
  return out.str();
}

}  // namespace lab::orchestrator
