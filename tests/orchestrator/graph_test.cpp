#include "orchestrator/graph.hpp"

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
  for (const char* text : {">client1<", ">webseal<", ">was<", ">127.101.2.3<", ">clients<", ">inner<", "junction /app to was"}) {
    INFO(text);
    CHECK(svg.find(text) != std::string::npos);
  }
}
