#include "providers/zvm/calls.hpp"

#include <boost/json.hpp>

namespace lab::providers::zvm {

namespace {

namespace json = boost::json;

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20, kGigabyte = std::uint64_t{1} << 30;

// "10g", "1500m", rounded up: a disk is no smaller than was asked for.
std::string disk_size(std::uint64_t bytes) {
  return bytes % kGigabyte == 0 ? std::to_string(bytes / kGigabyte) + "g" : std::to_string((bytes + kMegabyte - 1) / kMegabyte) + "m";
}

Call get(std::string path) { return {"GET", std::move(path), std::nullopt, {}}; }

Call order_to(const char* method, std::string path, json::object body) { return {method, std::move(path), std::move(body), {}}; }

std::string guest(const std::string& userid, const char* part = "") { return "/guests/" + userid + part; }

Call action(const std::string& userid, json::object body) { return order_to("POST", guest(userid, "/action"), std::move(body)); }

std::string escaped(const std::string& text) {  // RFC 3986, query
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    const auto byte = static_cast<unsigned char>(c);
    result += plain ? std::string(1, c) : std::string("%") + kHex[byte >> 4U] + kHex[byte & 15U];
  }
  return result;
}

}  // namespace

std::string name_of(const Call& call) { return call.method + " " + call.path; }

std::string to_string(const Call& call) {
  return name_of(call) + (call.body ? " " + json::serialize(*call.body) : call.method == "PUT" ? " (the config drive)" : "");
}

Call ask_version() { return get("/"); }
Call ask_images(const std::string& image) { return get("/images?imagename=" + escaped(image)); }
Call ask_vswitches() { return get("/vswitches"); }
Call ask_guests() { return get("/guests"); }
Call ask_entry(const std::string& userid) { return get(guest(userid)); }
Call ask_info(const std::string& userid) { return get(guest(userid, "/info")); }
Call ask_power(const std::string& userid) { return get(guest(userid, "/power_state")); }

Call create_guest(const GuestOrder& order) {
  json::array disks;  // always there: without it creating fails
  for (std::size_t i = 0; i < order.disks.size(); ++i) {
    json::object disk{{"size", disk_size(order.disks[i])}};
    if (i == 0) {
      disk["is_boot_disk"] = true;
    } else {
      disk["format"] = "ext4";
    }
    if (!order.disk_pool.empty()) {
      disk["disk_pool"] = order.disk_pool;
    }
    disks.push_back(std::move(disk));
  }
  json::object wanted{{"userid", order.userid}, {"vcpus", order.vcpus}, {"memory", order.memory_mb}, {"disk_list", std::move(disks)}};
  if (order.max_cpus > 0) {
    wanted["max_cpu"] = order.max_cpus;
  }
  if (!order.user_profile.empty()) {
    wanted["user_profile"] = order.user_profile;
  }
  wanted["comments"] = json::array{order.label};
  return order_to("POST", "/guests", {{"guest", std::move(wanted)}});
}

Call upload(std::string file) { return {"PUT", "/files", std::nullopt, std::move(file)}; }

Call deploy(const GuestOrder& order, const std::string& transport_file) {
  return action(order.userid, {{"action", "deploy"}, {"image", order.image}, {"transportfiles", transport_file}});
}

// Makes the network card as well, and leaves the address for the guest to find when it starts.
Call create_interface(const GuestOrder& order) {
  json::object network{{"ip_addr", order.address}, {"cidr", order.cidr}, {"nic_vdev", kNic}};
  if (!order.gateway.empty()) {
    network["gateway_addr"] = order.gateway;
  }
  return order_to(
      "POST", guest(order.userid, "/interface"),
      {{"interface", {{"os_version", order.os_version}, {"guest_networks", json::array{std::move(network)}}, {"active", false}}}});
}

Call couple(const GuestOrder& order) {
  return order_to("PUT", guest(order.userid, "/nic/") + kNic,
                  {{"info", {{"couple", true}, {"active", false}, {"vswitch", order.vswitch}}}});
}

Call grant(const GuestOrder& order) {
  return order_to("PUT", "/vswitches/" + order.vswitch, {{"vswitch", {{"grant_userid", order.userid}}}});
}

Call revoke(const std::string& userid, const std::string& vswitch) {
  return order_to("PUT", "/vswitches/" + vswitch, {{"vswitch", {{"revoke_userid", userid}}}});
}

Call start(const std::string& userid) { return action(userid, {{"action", "start"}}); }
Call softstop(const std::string& userid) { return action(userid, {{"action", "softstop"}}); }
Call stop(const std::string& userid) { return action(userid, {{"action", "stop"}}); }
Call remove(const std::string& userid) { return {"DELETE", guest(userid), std::nullopt, {}}; }
Call live_resize(const std::string& userid, int cpus) { return action(userid, {{"action", "live_resize_cpus"}, {"cpu_cnt", cpus}}); }

}  // namespace lab::providers::zvm
