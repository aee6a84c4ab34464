// Where everything of a lab's picture stands, in pixels: a zone a network, side by side over one backbone; nodes hang off it above and
// below, firewalls sit on it between zones, junctions run straight from gateway to back end or through a lane above all cards.
#pragma once

#include "lab/lab.hpp"

#include <string>
#include <vector>

namespace lab::orchestrator {

inline constexpr int kCardWidth = 150, kCardHeight = 64, kZonePadding = 18, kMargin = 32, kLine = 15;

struct Point {
  int x = 0, y = 0;
};

struct Card {
  const Node* node = nullptr;
  int x = 0, y = 0;
  bool gate = false;                // on the backbone between zones
  std::vector<std::string> passes;  // of a gate: what it lets through, pairs of roles and their ports by turns

  int middle_x() const { return x + kCardWidth / 2; }
  int middle_y() const { return y + kCardHeight / 2; }
};

struct Zone {
  const Network* network = nullptr;
  int x = 0, width = 0;
};

struct Arrow {
  const Card *from = nullptr, *to = nullptr;
  std::string label;
  std::vector<Point> path;
  Point label_middle;
};

struct Picture {
  std::vector<Zone> zones;
  std::vector<Card> cards;
  std::vector<Arrow> arrows;  // junctions; they point into `cards`
  int zone_top = 0, zone_bottom = 0, backbone = 0, legend = 0, width = 0, height = 0;

  Picture() = default;
  Picture(Picture&&) = default;  // the cards stay where they are
  Picture& operator=(Picture&&) = default;
};

Picture lay_out(const Lab& lab);

// Places of the node's networks in the lab's list.
std::vector<std::size_t> places_of(const Lab& lab, const Node& node);

// About as wide as these letters are in a font of that size.
int width_of(const std::string& text, int font);

}  // namespace lab::orchestrator
