// A z/VM to test against: the stand-in for Feilong, and guests that answer over SSH as Linux there does, without one.
#pragma once

#include "providers/contract.hpp"
#include "providers/zvm/zvm.hpp"
#include "remote/sshd.hpp"
#include "server.hpp"
#include "zlinux/sysinfo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace zvm_test {

using namespace lab;
using namespace lab::providers;

// The Linux of a guest.
struct Linux {
  std::vector<int> online{0}, present{0};
  bool on_zvm = true;
  std::string hypfs;  // lines of what it sees there; empty: it may not mount it
  std::uint64_t busy_ticks = 50;
  bool may_change = true;             // root, or sudo
  std::vector<std::string> commands;  // chcpu and vmcp, as they were called
};

class World : public contract::Fixture {
 public:
  explicit World(const std::string& admin_token = "secret")
      : Fixture{[this] { return open_provider(); }, Site{"mainframe", {}, lab}}, server({0, admin_token}), token(admin_token) {
    site.state = folder.path() / "state of mainframe";
    std::filesystem::create_directories(site.state / "keys");
    test::make_key(site.state / "keys" / "id_ed25519");
    server.with([](standin::Hypervisor& there) {
      there.images["rhel8"] = "rhel8.6";
      there.vswitches["VSW1"];
    });
    write_token(token);
    lab.name = "mainframe";
    lab.provider = ProviderKind::zvm;
    lab.feilong.url = server.url();
    lab.feilong.token_file = admin_token.empty() ? "" : token_file().string();
    lab.networks = {{"inner", 0x0A010000, 24}};
    add_guest("webseal", Role::gateway, "LINUX1", "10.1.0.5");
    add_guest("tam", Role::directory, "LINUX2", "10.1.0.6");
    lab.nodes[0].cpus = 2;
    lab.nodes[0].guest.max_cpus = 4;
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void add_guest(const std::string& name, Role role, const std::string& userid, const std::string& address) {
    Node node{name, {role}, {"inner"}};
    node.guest = {userid, "rhel8", "VSW1", "10.1.0.1", std::uint64_t{2} << 30, {std::uint64_t{10} << 30}, 0};
    node.address = address;
    lab.nodes.push_back(std::move(node));
  }

  std::filesystem::path token_file() const { return folder.path() / "token"; }
  void write_token(const std::string& text) const {
    test::write_file(token_file(), text + "\n");
    std::filesystem::permissions(token_file(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  Result<NodeRecord> raise(std::size_t node = 0) const { return open()->create(site, lab.nodes[node], contract::accept, contract::soon()); }
  Result<void> destroy(std::size_t node = 0) const {
    return open()->destroy(site, contract::named(lab.nodes[node].name), contract::soon());
  }
  standin::Guest guest(const std::string& userid) {
    return server.with([&](standin::Hypervisor& there) { return there.guests.at(userid); });
  }
  bool has_guest(const std::string& userid) {
    return server.with([&](standin::Hypervisor& there) { return there.guests.contains(userid); });
  }
  std::size_t asked(const std::string& beginning) const {
    const auto all = server.journal();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const std::string& call) { return call.starts_with(beginning); }));
  }
  Linux& linux_of(const std::string& node) {
    const std::lock_guard guard(mutex);
    return linuxes[node];
  }
  Errors plan_errors() const {
    const auto steps = open()->plan(site, {});
    return steps ? Errors{} : steps.error();
  }

  test::TemporaryFolder folder;
  standin::Server server;
  std::string token;
  Lab lab;
  std::vector<std::chrono::nanoseconds> pauses;  // that nobody waited for
  int unreachable = 0;                           // so many attempts to reach a guest fail
  bool always_reachable = false;                 // whatever z/VM says
  std::mutex mutex;
  std::map<std::string, Linux> linuxes;  // by node

 private:
  class Remote final : public remote::Remote {
   public:
    Remote(World& world, std::string node) : world_(world), node_(std::move(node)) {}
    Result<remote::Output> exec(const std::string& command, std::string_view, Deadline) override { return world_.run(node_, command); }
    Result<bool> upload(const std::filesystem::path&, const std::string&, int, Deadline) override { return true; }
    Result<void> download(const std::string&, const std::filesystem::path&, Deadline) override { return {}; }
    Result<std::unique_ptr<remote::Channel>> open(const std::string&, Deadline) override { return Error{"no channels here"}; }
    void close(Deadline) override {}

   private:
    World& world_;
    const std::string node_;
  };

  std::unique_ptr<Provider> open_provider() {
    zvm::Means means(remote::Binaries(std::filesystem::read_symlink("/proc/self/exe")));
    means.pause = [this](std::chrono::nanoseconds length, Deadline deadline) {
      const std::lock_guard guard(mutex);
      pauses.push_back(length);
      return pauses.size() < 1000 && Clock::now() < deadline;
    };
    means.connect = [this](const remote::Target& target, Deadline) -> Result<std::unique_ptr<remote::Remote>> { return connect(target); };
    return zvm::make_zvm(std::move(means));
  }

  // A guest that is on, and was given the lab's key, lets it in.
  Result<std::unique_ptr<remote::Remote>> connect(const remote::Target& target) {
    const Node* const node = lab.find(target.node);
    const bool on = node != nullptr && (node->guest.userid.empty() || server.with([&](standin::Hypervisor& there) {
                      const auto at = there.guests.find(node->guest.userid);
                      return at != there.guests.end() && at->second.on && !at->second.drive.empty() && at->second.address == node->address;
                    }));
    const std::lock_guard guard(mutex);
    if ((!on && !always_reachable) || unreachable > 0) {
      --unreachable;
      return Error{"connection refused", "node " + target.node};
    }
    return std::make_unique<Remote>(*this, target.node);
  }

  static std::string list_of(const std::vector<int>& cpus) {
    std::string text;
    for (const int cpu : cpus) {
      text += (text.empty() ? "" : ",") + std::to_string(cpu);
    }
    return text;
  }

  // What the kernel sees of what z/VM gives it.
  void rescan(Linux& linux, const std::string& node) {
    const std::string userid = lab.find(node)->guest.userid;
    const int defined = userid.empty() ? static_cast<int>(linux.present.size()) : guest(userid).defined;
    for (int cpu = static_cast<int>(linux.present.size()); cpu < defined; ++cpu) {
      linux.present.push_back(cpu);
    }
  }

  remote::Output look(const std::string& node, Linux& linux) {
    if (linux.commands.empty() && linux.present.size() == 1 && !lab.find(node)->guest.userid.empty()) {  // it starts with what it has
      rescan(linux, node);
      linux.online = linux.present;
    }
    std::string text = "home /root\narch s390x\ntick 100\nonline " + list_of(linux.online) + "\npresent " + list_of(linux.present) +
                       "\ncpu  " + std::to_string(linux.busy_ticks) + " 0 0 1000 0 0 0 7 0 0\n" + linux.hypfs + "sysinfo\n";
    if (linux.on_zvm) {
      text += "Type: 8561\nLPAR Name: LP05\nLPAR CPUs Configured: 10\nVM00 Name: X\nVM00 Control Program: z/VM    7.3.0\n";
    }
    return {0, text, ""};
  }

  Result<remote::Output> run(const std::string& node, const std::string& command) {
    Linux& linux = linux_of(node);
    if (command == "sh -s") {
      return look(node, linux);
    }
    const std::size_t then = command.find("then ") + 5;
    const std::string words = command.substr(then, command.find("; else") - then);
    linux.commands.push_back(words);
    if (!linux.may_change) {
      return remote::Output{1, "", "sudo: a password is required\n"};
    }
    if (words == "chcpu -r") {
      rescan(linux, node);
    } else if (words.starts_with("vmcp define cpu ")) {
      linux.present.push_back(static_cast<int>(linux.present.size()));
    } else if (words.starts_with("chcpu -d ") || words.starts_with("chcpu -e ")) {
      change(linux, words[7] == 'e', words.substr(9));
    } else {
      return remote::Output{127, "", "not found: " + words};
    }
    return remote::Output{0, "", ""};
  }

  static void change(Linux& linux, bool online, const std::string& list) {
    for (const int cpu : zlinux::parse_cpu_list(list)) {
      std::erase(linux.online, cpu);
      if (online) {
        linux.online.push_back(cpu);
      }
    }
    std::sort(linux.online.begin(), linux.online.end());
  }
};

}  // namespace zvm_test
