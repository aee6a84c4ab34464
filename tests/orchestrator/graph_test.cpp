#include "orchestrator/graph.hpp"

#include "config/config.hpp"
#include "orchestrator/graph_layout.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::orchestrator;

namespace {

Lab topology() {
  Lab lab;
  lab.name = "small";
  lab.networks = {{"clients", 0xC6120100, 24}, {"inner", 0xC6120300, 24}};
  Node webseal{"webseal", {Role::gateway}, {"clients", "inner"}};
  webseal.gateway.junctions = {{"/app", JunctionType::ssl, {"was"}, {}}};
  lab.nodes = {Node{"client1", {Role::load}, {"clients"}}, webseal, Node{"was", {Role::pages}, {"inner"}}};
  return lab;
}

}  // namespace

TEST_CASE("the topology as text names networks, nodes and junctions") {
  CHECK(graph_text(topology(), {{"was", "127.101.2.3"}}) ==
        "lab small, provider local\n"
        "\n"
        "network clients 198.18.1.0/24\n"
        "  client1: load\n"
        "  webseal: gateway\n"
        "    junction ssl /app → was\n"
        "\n"
        "network inner 198.18.3.0/24\n"
        "  webseal: gateway\n"
        "    junction ssl /app → was\n"
        "  was: pages at 127.101.2.3\n");
}

TEST_CASE("the topology as a Mermaid flowchart") {
  CHECK(graph_mermaid(topology(), {}) ==
        "flowchart LR\n"
        "  net0([\"clients 198.18.1.0/24\"])\n"
        "  net1([\"inner 198.18.3.0/24\"])\n"
        "  node0[\"client1<br>load\"]\n"
        "  net0 --- node0\n"
        "  node1[\"webseal<br>gateway\"]\n"
        "  net0 --- node1\n"
        "  net1 --- node1\n"
        "  node2[\"was<br>pages\"]\n"
        "  net1 --- node2\n"
        "  node1 -.->|\"ssl /app\"| node2\n");
}

TEST_CASE("the topology for Graphviz") {
  CHECK(graph_dot(topology(), {}) ==
        "graph \"small\" {\n"
        "  rankdir=LR;\n"
        "  node [shape=box];\n"
        "  net0 [shape=ellipse, label=\"clients 198.18.1.0/24\"];\n"
        "  net1 [shape=ellipse, label=\"inner 198.18.3.0/24\"];\n"
        "  node0 [label=\"client1\\nload\"];\n"
        "  net0 -- node0;\n"
        "  node1 [label=\"webseal\\ngateway\"];\n"
        "  net0 -- node1;\n"
        "  net1 -- node1;\n"
        "  node2 [label=\"was\\npages\"];\n"
        "  net1 -- node2;\n"
        "  node1 -- node2 [dir=forward, style=dashed, constraint=false, label=\"ssl /app\"];\n"
        "}\n");
}

TEST_CASE("the picture shows every node, network and junction") {
  const std::string svg = graph_svg(topology(), {{"was", "127.101.2.3"}});
  for (const char* text : {">client1<", ">webseal<", ">was<", ">127.101.2.3<", ">clients<", ">inner<", "junction ssl /app to was"}) {
    INFO(text);
    CHECK(svg.find(text) != std::string::npos);
  }
}

namespace {

struct Box {
  int left, top, right, bottom;
};

Box box_of(const Card& card) { return {card.x, card.y, card.x + kCardWidth, card.y + kCardHeight}; }

bool meet(const Box& one, const Box& other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

// Each straight piece of an arrow, as a box without thickness.
std::vector<Box> pieces_of(const Arrow& arrow) {
  std::vector<Box> pieces;
  for (std::size_t i = 1; i < arrow.path.size(); ++i) {
    const Point a = arrow.path[i - 1], b = arrow.path[i];
    pieces.push_back({std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x) + 1, std::max(a.y, b.y) + 1});
  }
  return pieces;
}

Box label_of(const Arrow& arrow) {
  const int half = width_of(arrow.label, 12) / 2;
  return {arrow.label_middle.x - half, arrow.label_middle.y - 10, arrow.label_middle.x + half, arrow.label_middle.y};
}

}  // namespace

TEST_CASE("in the picture of every built-in lab no card lies on another, and junctions run around cards, with their words beside them") {
  for (const char* name : {"local", "webseal-2007", "peers", "platform", "hosts", "starter"}) {
    INFO(name);
    const auto lab = config::load_lab(name);
    REQUIRE(lab);
    const Picture picture = lay_out(*lab);
    REQUIRE(picture.cards.size() == lab->nodes.size());
    for (const Card& card : picture.cards) {
      INFO(card.node->name);
      CHECK((card.x >= 0 && card.x + kCardWidth <= picture.width && card.y + kCardHeight <= picture.zone_bottom));
      CHECK(std::none_of(picture.cards.begin(), picture.cards.end(),
                         [&](const Card& other) { return &other != &card && meet(box_of(card), box_of(other)); }));
      for (const Arrow& arrow : picture.arrows) {
        INFO(arrow.label);
        const auto pieces = pieces_of(arrow);
        CHECK(std::none_of(pieces.begin(), pieces.end(),
                           [&](const Box& piece) { return &card != arrow.from && &card != arrow.to && meet(box_of(card), piece); }));
        CHECK_FALSE(meet(box_of(card), label_of(arrow)));
      }
    }
  }
}

TEST_CASE("words of the picture are drawn after all lines, and a legend says what colours and lines mean") {
  const std::string svg = graph_svg(*config::load_lab("webseal-2007"), {});
  const auto label = svg.find(">tcp /app<");
  REQUIRE(label != std::string::npos);
  CHECK(label > svg.rfind("</g>"));  // after the last card, and cards come after wires and junctions
  CHECK(svg.find(">load → gateway<") < svg.find(">8080, 8081, 8443, 8444<"));
  for (const char* words : {">network<", ">junction<", ">firewall<", ">what a firewall lets through; it drops all else<",
                            ">gateway, 1 CPU<", ">pages on zos<"}) {
    INFO(words);
    CHECK(svg.find(words) != std::string::npos);
  }
}
