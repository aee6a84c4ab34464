// A container engine in memory that understands what the provider says to Podman or Docker, and records it.
#pragma once

#include "providers/container/engine.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fakes {

using namespace lab;
using Words = std::vector<std::string>;

class FakeEngine {
 public:
  struct Container {
    std::string label, state = "created", ssh_folder;
    std::set<std::string> networks;
    bool published = false;
  };

  explicit FakeEngine(std::string program, std::string info) : program_(std::move(program)), info_(std::move(info)) {}

  providers::container::Host host() {
    return {
        [this](const std::string& name) -> std::optional<std::string> {
          return name == program_                       ? std::optional("/fake/" + name)
                 : name == "podman" || name == "docker" ? std::nullopt
                                                        : remote::find_program(name);
        },
        [this](const Words& asked, Deadline deadline) -> Result<remote::Finished> {
          const Words command = asked.front() == "env" ? Words(asked.begin() + 3, asked.end()) : asked;  // env -C FOLDER …
          return command.front() == "/fake/" + program_ ? run({command.begin() + 1, command.end()}) : remote::run(command, {}, deadline);
        },
        ""};
  }

  std::mutex mutex;
  std::map<std::string, Container> containers;
  std::map<std::string, std::string> networks;  // name to label
  std::vector<std::string> said;                // each command, as a line
  bool image = true;
  std::map<std::string, std::string> images;  // name to id, of those that were built
  std::set<std::string> nameless;             // ids that lost their name

 private:
  static std::string option(const Words& words, const std::string& name) {
    const auto at = std::find(words.begin(), words.end(), name);
    return at == words.end() || at + 1 == words.end() ? "" : *(at + 1);
  }
  static bool has(const Words& words, const std::string& name) { return std::find(words.begin(), words.end(), name) != words.end(); }
  static remote::Finished failure(const std::string& why) { return {125, "", "Error: " + why + "\n"}; }

  remote::Finished run(const Words& words) {
    const std::lock_guard guard(mutex);
    std::string line;
    for (const std::string& word : words) {
      line += (line.empty() ? "" : " ") + word;
    }
    said.push_back(line);
    const std::string verb = words[0] == "network" || words[0] == "container" || words[0] == "image" ? words[0] + " " + words[1] : words[0];
    if (verb == "info") {
      return info_.starts_with('{') ? remote::Finished{0, info_, ""} : remote::Finished{1, "", info_};
    }
    if (verb == "image inspect") {
      return image ? remote::Finished{0, "sha256:1\n", ""} : failure("no such image");
    }
    if (verb == "import" || verb == "images" || verb == "rmi") {
      return on_image(verb, words);
    }
    if (verb == "ps" || verb == "network ls") {
      return {0, listed(verb == "ps", option(words, "--filter")), ""};
    }
    if (verb == "create" || verb == "start" || verb == "rm" || verb == "port" || verb == "update" || verb == "container inspect") {
      return on_container(verb, words);
    }
    return on_network(verb, words);
  }

  std::string listed(bool of_containers, const std::string& filter) const {
    std::string out;
    const auto add = [&](const std::string& name, const std::string& label) { out += filter == "label=" + label ? name + "\n" : ""; };
    for (const auto& [name, container] : containers) {
      of_containers ? add(name, container.label) : void();
    }
    for (const auto& [name, label] : networks) {
      of_containers ? void() : add(name, label);
    }
    return out;
  }

  remote::Finished on_container(const std::string& verb, const Words& words) {
    if (verb == "create") {
      const std::string name = option(words, "--name"), volume = option(words, "--volume");
      if (!networks.contains(option(words, "--network"))) {
        return failure("network not found");
      }
      containers[name] = {
          option(words, "--label"), "created", volume.substr(0, volume.find(':')), {option(words, "--network")}, has(words, "--publish")};
      return {0, name + "\n", ""};
    }
    const auto at = std::find_if(containers.begin(), containers.end(), [&](const auto& one) { return has(words, one.first); });
    if (at == containers.end()) {
      return failure("no such container");
    }
    if (verb == "rm") {
      containers.erase(at);
    } else if (verb == "start") {
      at->second.state = "running";
      std::ofstream(at->second.ssh_folder + "/sshd.pid") << "1\n";
    } else if (verb == "port") {
      return {0, "127.0.0.1:40022\n", ""};
    } else if (verb == "container inspect") {
      const std::string pid = at->second.state == "running" ? "2147483647" : "0";
      return {0, "0123abcd {\"Status\":\"" + at->second.state + "\",\"ExitCode\":137,\"OOMKilled\":false,\"Pid\":" + pid + "}\n", ""};
    }
    return {0, "", ""};
  }

  remote::Finished on_image(const std::string& verb, const Words& words) {
    std::string out;
    if (verb == "import") {
      std::string& id = images[words.back()];
      if (!id.empty()) {
        nameless.insert(id);
      }
      id = "id" + std::to_string(said.size());
    } else if (verb == "rmi") {
      images.erase(words.back());
      nameless.erase(words.back());
    } else if (has(words, "dangling=true")) {
      for (const std::string& id : nameless) {
        out += id + "\n";
      }
    } else {
      for (const auto& [name, id] : images) {
        out += name + "\n";
      }
    }
    return {0, out, ""};
  }

  remote::Finished on_network(const std::string& verb, const Words& words) {
    if (verb == "network create") {
      return networks.emplace(words.back(), option(words, "--label")).second ? remote::Finished{0, words.back(), ""} : failure("exists");
    }
    if (verb == "network connect") {
      const auto container = containers.find(words.back());
      if (container == containers.end() || !networks.contains(words[words.size() - 2])) {
        return failure("not found");
      }
      container->second.networks.insert(words[words.size() - 2]);
      return {0, "", ""};
    }
    if (verb == "network rm") {
      for (std::size_t i = 2; i < words.size(); ++i) {
        networks.erase(words[i]);
      }
      return {0, "", ""};
    }
    return failure("unrecognized command " + verb);
  }

  const std::string program_, info_;
};

inline constexpr const char* kPodmanInfo =
    R"({"host":{"cgroupVersion":"v2","cgroupControllers":["cpu","memory"],"ociRuntime":{"name":"runc"},"security":{"rootless":false}},"store":{"graphDriverName":"overlay"},"version":{"Version":"4.3.1"}})";
inline constexpr const char* kDockerInfo =
    R"({"ServerVersion":"26.1","CgroupVersion":"2","DefaultRuntime":"runc","Driver":"overlay2","MemoryLimit":true,"CpuCfsQuota":true,"SecurityOptions":["name=seccomp"]})";

}  // namespace fakes
