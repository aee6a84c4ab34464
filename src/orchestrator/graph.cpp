#include "orchestrator/graph.hpp"

#include <algorithm>
#include <sstream>

namespace lab::orchestrator {

namespace {

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : separator) + word;
  }
  return text;
}

std::string roles_of(const Node& node) {
  std::vector<std::string> words;
  for (const Role role : node.roles) {
    words.push_back(to_string(role));
  }
  return joined(words, ", ");
}

std::string with_address(const Node& node, const Addresses& addresses) {
  const auto at = addresses.find(node.name);
  return at == addresses.end() || at->second.empty() ? "" : at->second;
}

std::string network_text(const Network& network) {
  std::ostringstream text;
  text << network.name << " " << (network.address >> 24U) << "." << (network.address >> 16U & 255U) << "." << (network.address >> 8U & 255U)
       << "." << (network.address & 255U) << "/" << network.prefix;
  return text.str();
}

std::string type_of(JunctionType type) {
  switch (type) {
    case JunctionType::tcp: return "tcp";
    case JunctionType::ssl: return "ssl";
    case JunctionType::local: return "local";
  }
  return {};
}

std::string junction_text(const JunctionPlan& junction) { return type_of(junction.type) + " " + junction.point; }

const std::vector<JunctionPlan>& junctions_of(const Node& node) {
  static const std::vector<JunctionPlan> kNone;
  return node.has(Role::gateway) ? node.gateway.junctions : kNone;
}

// Names may hold what Mermaid and Graphviz take for syntax; places do not.
std::string id(const std::string& kind, std::size_t place) { return kind + std::to_string(place); }

template <class Range>
std::string id_of(const Range& range, const std::string& kind, const std::string& name) {
  const auto at = std::find_if(range.begin(), range.end(), [&](const auto& item) { return item.name == name; });
  return at == range.end() ? "" : id(kind, static_cast<std::size_t>(at - range.begin()));
}

std::string label_of(const Node& node, const Addresses& addresses, const std::string& line_end) {
  const std::string address = with_address(node, addresses);
  return node.name + line_end + roles_of(node) + (address.empty() ? "" : line_end + address);
}

std::string quoted(const std::string& text, const std::string& quote) {
  std::string safe;
  for (const char c : text) {
    safe += c == '"' ? quote : std::string(1, c);
  }
  return "\"" + safe + "\"";
}

}  // namespace

std::string graph_text(const Lab& lab, const Addresses& addresses) {
  std::ostringstream text;
  text << "lab " << lab.name << ", provider " << to_string(lab.provider) << "\n";
  for (const Network& network : lab.networks) {
    text << "\nnetwork " << network_text(network) << "\n";
    for (const Node& node : lab.nodes) {
      if (std::find(node.networks.begin(), node.networks.end(), network.name) == node.networks.end()) {
        continue;
      }
      const std::string address = with_address(node, addresses);
      text << "  " << node.name << ": " << roles_of(node) << (address.empty() ? "" : " at " + address);
      if (node.has(Role::firewall)) {
        text << ", between " << joined(node.networks, " and ");
      }
      text << "\n";
      for (const JunctionPlan& junction : junctions_of(node)) {
        text << "    junction " << junction_text(junction) << " → " << joined(junction.servers, ", ") << "\n";
      }
    }
  }
  return text.str();
}

std::string graph_mermaid(const Lab& lab, const Addresses& addresses) {
  std::ostringstream text;
  text << "flowchart LR\n";
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    text << "  " << id("net", i) << "([" << quoted(network_text(lab.networks[i]), "#quot;") << "])\n";
  }
  for (std::size_t i = 0; i < lab.nodes.size(); ++i) {
    const Node& node = lab.nodes[i];
    const bool firewall = node.has(Role::firewall);
    text << "  " << id("node", i) << (firewall ? "{{" : "[") << quoted(label_of(node, addresses, "<br>"), "#quot;")
         << (firewall ? "}}" : "]") << "\n";
    for (const std::string& network : node.networks) {
      text << "  " << id_of(lab.networks, "net", network) << " --- " << id("node", i) << "\n";
    }
  }
  for (std::size_t i = 0; i < lab.nodes.size(); ++i) {
    for (const JunctionPlan& junction : junctions_of(lab.nodes[i])) {
      for (const std::string& server : junction.servers) {
        const std::string to = id_of(lab.nodes, "node", server);
        text << "  " << id("node", i) << " -.->|" << quoted(junction_text(junction), "#quot;") << "| "
             << (to.empty() ? quoted(server, "#quot;") : to) << "\n";
      }
    }
  }
  return text.str();
}

std::string graph_dot(const Lab& lab, const Addresses& addresses) {
  std::ostringstream text;
  text << "graph " << quoted(lab.name, "\\\"") << " {\n  rankdir=LR;\n  node [shape=box];\n";
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    text << "  " << id("net", i) << " [shape=ellipse, label=" << quoted(network_text(lab.networks[i]), "\\\"") << "];\n";
  }
  for (std::size_t i = 0; i < lab.nodes.size(); ++i) {
    const Node& node = lab.nodes[i];
    text << "  " << id("node", i) << " [label=" << quoted(label_of(node, addresses, "\\n"), "\\\"")
         << (node.has(Role::firewall) ? ", shape=hexagon" : "") << "];\n";
    for (const std::string& network : node.networks) {
      text << "  " << id_of(lab.networks, "net", network) << " -- " << id("node", i) << ";\n";
    }
  }
  for (std::size_t i = 0; i < lab.nodes.size(); ++i) {
    for (const JunctionPlan& junction : junctions_of(lab.nodes[i])) {
      for (const std::string& server : junction.servers) {
        const std::string to = id_of(lab.nodes, "node", server);
        text << "  " << id("node", i) << " -- " << (to.empty() ? quoted(server, "\\\"") : to)
             << " [dir=forward, style=dashed, constraint=false, label=" << quoted(junction_text(junction), "\\\"") << "];\n";
      }
    }
  }
  text << "}\n";
  return text.str();
}

}  // namespace lab::orchestrator
