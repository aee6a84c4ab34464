#include "hypervisor.hpp"

#include <algorithm>
#include <cctype>

namespace standin {

namespace json = boost::json;

namespace {

constexpr std::size_t kBodyLimit = 4096;
constexpr int kServerDown = 101, kGuestFault = 300;

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool is_userid(const std::string& text) {
  return !text.empty() && text.size() <= 8 && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

// Of a schema with additionalProperties false.
std::optional<Reply> unknown_key(const json::object& object, std::set<std::string> known) {
  for (const auto& member : object) {
    if (!known.contains(std::string(member.key()))) {
      return refusal(400, 1, "Invalid input for field/attribute: additional property '" + std::string(member.key()) + "'");
    }
  }
  return std::nullopt;
}

std::string text_of(const json::object& object, const char* key) {
  const auto* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

json::object object_of(const json::object& object, const char* key) {
  const auto* const value = object.if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

std::int64_t number_of(const json::object& object, const char* key) {
  const auto* const value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

json::object parsed(const std::string& body) {
  boost::system::error_code failed;
  const json::value value = json::parse(body, failed);
  return !failed && value.is_object() ? value.get_object() : json::object();
}

json::object entry_of(const std::string& userid, const Guest& guest) {
  json::array lines{"USER " + userid + " LBYONLY " + std::to_string(guest.memory_mb) + "M 64G G", "INCLUDE OSDFLT",
                    "COMMAND SET VCONFIG MODE LINUX"};
  for (const std::string& comment : guest.comments) {
    lines.emplace_back("* " + comment);
  }
  for (const auto& [vdev, vswitch] : guest.nics) {
    lines.emplace_back("NICDEF " + vdev + " TYPE QDIO" + (vswitch.empty() ? "" : " LAN SYSTEM " + vswitch) + " DEVICES 3");
  }
  return {{"user_direct", lines}};
}

json::object info_of(const Guest& guest) {
  return {{"power_state", guest.on ? "on" : "off"},
          {"max_mem_kb", 67'108'864},
          {"mem_kb", guest.memory_mb * 1024},
          {"num_cpu", guest.defined},
          {"cpu_time_us", guest.cpu_us},
          {"online_cpu_num", guest.on ? guest.online : 0},
          {"os_distro", guest.os_version},
          {"kernel_info", guest.on ? "Linux 5.14.0 s390x" : ""}};
}

}  // namespace

Reply success(json::value output) {
  return {200, json::serialize(json::object{
                   {"overallRC", 0}, {"rc", 0}, {"rs", 0}, {"modID", nullptr}, {"errmsg", ""}, {"output", std::move(output)}})};
}

Reply refusal(int overall_rc, int rs, const std::string& message) {
  const std::set<int> passed{400, 404, 409, 501, 503};
  const unsigned status = overall_rc == 100 ? 400 : passed.contains(overall_rc) ? static_cast<unsigned>(overall_rc) : 500;
  return {status,
          json::serialize(
              json::object{{"overallRC", overall_rc}, {"rc", overall_rc}, {"rs", rs}, {"modID", 40}, {"errmsg", message}, {"output", ""}}),
          "text/html"};
}

Reply http_fault(unsigned status, const std::string& message) {
  Reply reply = refusal(400, static_cast<int>(status), message);
  reply.status = status;
  return reply;
}

Reply Hypervisor::answer(const Message& message) {
  if (message.path == "/files" && message.method == "PUT") {
    return import_file(message);
  }
  if (message.body.size() > kBodyLimit) {
    Reply reply = refusal(kServerDown, 6, "Failed to receive data from sdkserver");
    return reply;
  }
  if (server_down) {
    Reply reply = refusal(kServerDown, 2, "Failed to connect SDK server");
    if (message.path == "/guests" && message.method == "GET") {
      reply.status = 200;
    }
    return reply;
  }
  const json::object body = parsed(message.body);
  if (message.path == "/" && message.method == "GET") {
    return success({{"version", "1.6.7"}, {"api_version", "1.0"}, {"min_version", "1.0"}, {"max_version", "1.0"}});
  }
  if (message.path == "/images" && message.method == "GET") {
    return find_images(message.query);
  }
  if (message.path == "/vswitches" && message.method == "GET") {
    json::array names;
    for (const auto& [name, granted] : vswitches) {
      names.emplace_back(name);
    }
    return success(std::move(names));
  }
  if (message.path.starts_with("/vswitches/") && message.method == "PUT") {
    return on_vswitch(upper(message.path.substr(11)), body);
  }
  if (message.path == "/guests/stats" && message.method == "GET") {
    return stats(message.query);
  }
  if (message.path == "/guests") {
    if (message.method == "POST") {
      return create(body);
    }
    json::array names;
    for (const auto& [name, guest] : guests) {
      names.emplace_back(name);
    }
    return message.method == "GET" ? success(std::move(names)) : http_fault(405, "Method Not Allowed");
  }
  if (message.path.starts_with("/guests/")) {
    const std::string rest = message.path.substr(8);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    return on_guest(message, upper(rest.substr(0, slash)), rest.substr(slash));
  }
  return http_fault(404, "The resource could not be found.");
}

Reply Hypervisor::create(const json::object& body) {
  const json::object wanted = object_of(body, "guest");
  if (auto wrong = unknown_key(wanted, {"userid", "vcpus", "memory", "user_profile", "disk_list", "max_cpu", "max_mem", "comments",
                                        "account", "ipl_from", "ipl_param", "ipl_loadparam"})) {
    return *wrong;
  }
  const std::string userid = upper(text_of(wanted, "userid"));
  if (!is_userid(userid) || number_of(wanted, "vcpus") < 1 || number_of(wanted, "memory") < 1) {
    return refusal(400, 1, "Invalid input for field/attribute userid, vcpus or memory");
  }
  if (!wanted.contains("disk_list")) {
    return {500, "Internal Server Error", "text/plain"};  // the real one trips over it
  }
  if (guests.contains(userid) || strays.contains(userid)) {
    return refusal(409, 8, "Guest " + userid + " already exists");
  }
  Guest guest;
  guest.defined = guest.online = static_cast<int>(number_of(wanted, "vcpus"));
  guest.memory_mb = static_cast<std::uint64_t>(number_of(wanted, "memory"));
  if (const auto most = number_of(wanted, "max_cpu"); most > 0) {
    if (most > 64) {
      return refusal(400, 1, "Invalid input for field/attribute max_cpu");
    }
    guest.max_cpus = static_cast<int>(most);
  }
  for (const json::value& comment : wanted.contains("comments") ? wanted.at("comments").as_array() : json::array()) {
    guest.comments.emplace_back(comment.as_string());
  }
  for (const json::value& disk : wanted.at("disk_list").as_array()) {
    if (auto wrong = unknown_key(disk.as_object(), {"size", "format", "is_boot_disk", "disk_pool"})) {
      return *wrong;
    }
    guest.disks.push_back(json::serialize(disk));
  }
  guests[userid] = std::move(guest);
  return success(wanted.at("disk_list"));
}

Reply Hypervisor::on_guest(const Message& message, const std::string& userid, const std::string& part) {
  if (part.empty() && message.method == "DELETE") {
    return remove(userid);
  }
  const auto at = guests.find(userid);
  if (at == guests.end()) {
    return refusal(404, 1, "Guest " + userid + " does not exist");
  }
  Guest& guest = at->second;
  if (message.method == "GET") {
    guest.cpu_us += guest.on ? 1000 : 0;
    return part == ""                  ? success(entry_of(userid, guest))
           : part == "/info"           ? success(info_of(guest))
           : part == "/power_state"    ? success(guest.on ? "on" : "off")
           : part == "/online_cpu_num" ? success(guest.online)
                                       : http_fault(404, "The resource could not be found.");
  }
  const json::object body = parsed(message.body);
  if (part == "/action" && message.method == "POST") {
    return act(userid, body);
  }
  if (part == "/nic" && message.method == "POST") {
    return add_nic(guest, text_of(object_of(body, "nic"), "vdev"));
  }
  if (part == "/interface" && message.method == "POST") {
    return interface(guest, body);
  }
  if (part.starts_with("/nic/") && message.method == "PUT") {
    return couple(guest, part.substr(5), body);
  }
  return http_fault(404, "The resource could not be found.");
}

Reply Hypervisor::act(const std::string& userid, const json::object& body) {
  Guest& guest = guests.at(userid);
  const std::string action = text_of(body, "action");
  if (action == "start") {  // on one that runs: fine
    if (!guest.on) {
      guest.on = true;
      guest.online = guest.defined;
      if (event) {
        event("start", userid, guest);
      }
    }
    return success("");
  }
  if (action == "stop" || action == "softstop") {
    if (guest.on && !(action == "softstop" && guest.deaf)) {
      guest.on = false;
      if (event) {
        event("stop", userid, guest);
      }
    }
    return success("");
  }
  if (action == "deploy") {
    return deploy(userid, guest, body);
  }
  return action == "live_resize_cpus" ? live_resize(guest, body) : http_fault(400, "action " + action + " is invalid");
}

Reply Hypervisor::deploy(const std::string& userid, Guest& guest, const json::object& body) {
  if (auto wrong = unknown_key(body, {"action", "image", "transportfiles", "remotehost", "vdev", "hostname", "skipdiskcopy"})) {
    return *wrong;
  }
  const std::string image = text_of(body, "image"), file = text_of(body, "transportfiles");
  if (!images.contains(image)) {
    return refusal(404, 2, "Image " + image + " does not exist");
  }
  if (guest.on) {
    return refusal(kGuestFault, 3, "Failed to deploy image to userid: '" + userid + "', unpackdiskimage failed with rc: 3");
  }
  if (!file.empty() && !files.contains(file)) {
    return refusal(kGuestFault, 4, "Failed to deploy image: cp: cannot stat '" + file + "'");
  }
  guest.image = image;
  guest.os_version = images.at(image);
  guest.address.clear();  // the reader is purged: what lay there for the guest to find is gone
  guest.drive = file.empty() ? "" : files.at(file);
  return success("");
}

Reply Hypervisor::live_resize(Guest& guest, const json::object& body) {
  const int wanted = static_cast<int>(number_of(body, "cpu_cnt"));
  if (wanted < 1 || wanted > 64) {
    return refusal(400, 1, "Invalid input for field/attribute cpu_cnt");
  }
  if (!guest.on) {
    return refusal(409, 1, "The guest is inactive");
  }
  if (wanted > guest.max_cpus) {
    return refusal(409, 4, "The requested CPU count exceeds the maximum");
  }
  guest.defined = std::max(guest.defined, wanted);  // downwards they are only taken offline, in Linux
  guest.online = wanted;
  if (event) {
    event("resize", "", guest);
  }
  return success("");
}

Reply Hypervisor::add_nic(Guest& guest, const std::string& vdev) {
  const std::string device = vdev.empty() ? "1000" : vdev;
  if (!guest.nics.emplace(device, "").second) {
    return refusal(409, 6, "The specified virtual device number " + device + " has already been used");
  }
  return success("");
}

Reply Hypervisor::interface(Guest& guest, const json::object& body) {
  const json::object wanted = object_of(body, "interface");
  if (auto wrong = unknown_key(wanted, {"os_version", "guest_networks", "active"})) {
    return *wrong;
  }
  if (!wanted.contains("guest_networks") || text_of(wanted, "os_version").empty() || wanted.at("guest_networks").as_array().empty()) {
    return refusal(400, 1, "Invalid input for field/attribute interface");
  }
  const json::object network = wanted.at("guest_networks").as_array().front().as_object();
  if (network.contains("ip_addr") && !network.contains("cidr")) {
    return refusal(400, 1, "Invalid input: 'cidr' is a dependency of 'ip_addr'");
  }
  const Reply made = add_nic(guest, text_of(network, "nic_vdev"));
  if (made.status == 200) {
    guest.address = text_of(network, "ip_addr");
  }
  return made.status == 200 ? success(wanted.at("guest_networks")) : made;
}

Reply Hypervisor::couple(Guest& guest, const std::string& vdev, const json::object& body) {
  const json::object info = object_of(body, "info");
  if (auto wrong = unknown_key(info, {"couple", "active", "vswitch", "vlan_id"})) {
    return *wrong;
  }
  const std::string vswitch = upper(text_of(info, "vswitch"));
  if (!guest.nics.contains(vdev)) {
    return refusal(404, 3, "The nic " + vdev + " does not exist");
  }
  if (!vswitches.contains(vswitch)) {
    return refusal(404, 4, "The vswitch " + vswitch + " does not exist");
  }
  guest.nics[vdev] = vswitch;
  return success("");
}

Reply Hypervisor::on_vswitch(const std::string& name, const json::object& body) {
  const auto at = vswitches.find(name);
  if (at == vswitches.end()) {
    return refusal(404, 4, "The vswitch " + name + " does not exist");
  }
  const json::object wanted = object_of(body, "vswitch");
  if (const std::string userid = upper(text_of(wanted, "grant_userid")); !userid.empty()) {
    at->second.insert(userid);
  }
  at->second.erase(upper(text_of(wanted, "revoke_userid")));
  return success("");
}

Reply Hypervisor::remove(const std::string& userid) {
  if (strays.contains(userid)) {
    return refusal(404, 1, "Guest " + userid + " does not exist in the database");
  }
  if (const auto at = guests.find(userid); at != guests.end()) {
    const Guest gone = at->second;
    guests.erase(at);
    if (event) {
      event("delete", userid, gone);
    }
  }
  return success("");
}

Reply Hypervisor::import_file(const Message& message) {
  if (!message.octets) {
    return refusal(400, 1, "Invalid content type found for file import");
  }
  const std::string path = "/var/lib/zvmsdk/files/imported/" + std::to_string(next_file_++);
  files[path] = message.body;
  return success({{"filesize_in_bytes", message.body.size()}, {"dest_url", "file://" + path}, {"md5sum", ""}});
}

Reply Hypervisor::find_images(const std::string& query) const {
  const std::string name = query.starts_with("imagename=") ? query.substr(10) : "";
  json::array found;
  for (const auto& [image, distribution] : images) {
    if (name.empty() || name == image) {
      found.push_back(json::object{{"imagename", image},
                                   {"imageosdistro", distribution},
                                   {"md5sum", "52014cd658cea6ed4005fb25885e30e2"},
                                   {"disk_size_units", "3338:CYL"},
                                   {"image_size_in_bytes", "1073741824"},
                                   {"type", "rootonly"},
                                   {"comments", nullptr}});
    }
  }
  return found.empty() && !name.empty() ? refusal(404, 1, "The image " + name + " does not exist") : success(std::move(found));
}

// Once asked for, the same figures for 300 s.
Reply Hypervisor::stats(const std::string& query) {
  json::object output;
  std::string names = query.starts_with("userid=") ? query.substr(7) : "";
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string userid = upper(names.substr(0, comma));
    names.erase(0, comma + 1);
    if (const auto at = guests.find(userid); at != guests.end()) {
      const auto cached = cached_stats_.try_emplace(userid, at->second.cpu_us).first;
      output[userid] = json::object{{"guest_cpus", at->second.defined}, {"used_cpu_time_us", cached->second}};
    }
  }
  return success(std::move(output));
}

}  // namespace standin
