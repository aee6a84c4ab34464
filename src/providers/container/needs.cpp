#include "providers/container/needs.hpp"

#include "providers/local/account.hpp"

#include <unistd.h>
#include <fstream>
#include <sstream>

namespace lab::providers::container {

namespace {

constexpr const char* kWhere = "provider container";
constexpr unsigned long kWholeRange = 65'536;  // an image's files may have any owner from root to nobody

std::string text_of(const char* file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// subuid(5): "name:first:count", or with the user's number for the name.
bool has_range(const std::string& text, const std::string& user) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string who, first;
    unsigned long count = 0;
    std::getline(fields, who, ':');
    std::getline(fields, first, ':');
    fields >> count;
    if ((who == user || who == std::to_string(geteuid())) && count >= kWholeRange) {
      return true;
    }
  }
  return false;
}

}  // namespace

Surroundings look_around(const Host& host, Deadline deadline) {
  Surroundings here;
  here.root = geteuid() == 0;
  if (here.root) {
    return here;
  }
  const auto account = local::current_account(deadline);
  here.user = account ? account->name : std::to_string(geteuid());
  here.newuidmap = host.find_program("newuidmap").has_value();
  here.network = host.find_program("slirp4netns").has_value();
  here.tun = access("/dev/net/tun", R_OK | W_OK) == 0;
  here.subuid = text_of("/etc/subuid");
  here.subgid = text_of("/etc/subgid");
  here.user_namespaces = text_of("/proc/sys/user/max_user_namespaces");
  return here;
}

Errors missing_for_rootless(const Surroundings& here) {
  Errors missing;
  if (here.root) {
    return missing;
  }
  const auto lack = [&](const std::string& what, const std::string& remedy) {
    missing.push_back(Error{"for containers without root, " + what, kWhere, remedy + "; or run lab as root"});
  };
  if (here.user_namespaces.starts_with("0")) {
    lack("this kernel allows no user namespaces", "as root: sysctl user.max_user_namespaces=10000");
  }
  if (!here.newuidmap) {
    lack("newuidmap is missing", "apt-get install uidmap");
  }
  if (!has_range(here.subuid, here.user) || !has_range(here.subgid, here.user)) {
    lack("user " + here.user + " has no 65,536 numbers of its own in /etc/subuid and /etc/subgid",
         "as root: usermod --add-subuids 200000-265535 --add-subgids 200000-265535 " + here.user);
  }
  if (!here.network) {
    lack("slirp4netns is missing", "apt-get install slirp4netns");
  }
  if (!here.tun) {
    lack("/dev/net/tun may not be opened", "as root: chmod 666 /dev/net/tun");
  }
  return missing;
}

Result<void> check_bridges(std::string_view forward, std::string_view filtered) {
  const bool drops = forward.find("policy drop") != std::string_view::npos;
  return drops && filtered.starts_with('1')
             ? Error{"this host drops what Podman's bridges carry between containers, as Docker sets it up", kWhere,
                     "LAB_ENGINE=docker takes Docker instead; or as root: sysctl net.bridge.bridge-nf-call-iptables=0"}
             : Result<void>();
}

Errors missing_here(const Engine& engine, const Host& host, Deadline deadline) {
  if (engine.kind() == EngineKind::docker) {
    return {};
  }
  const Surroundings here = look_around(host, deadline);
  Errors missing = missing_for_rootless(here);
  const auto nft = here.root ? host.find_program("nft") : std::nullopt;  // rootless networks are in a namespace of their own
  const auto chain =
      nft ? host.execute({*nft, "list", "chain", "ip", "filter", "FORWARD"}, deadline) : Result<remote::Finished>(remote::Finished{});
  const auto passes = check_bridges(chain ? chain->out : "", text_of("/proc/sys/net/bridge/bridge-nf-call-iptables"));
  if (!passes) {
    missing.push_back(passes.error());
  }
  return missing;
}

}  // namespace lab::providers::container
