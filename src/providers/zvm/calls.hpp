// The calls of Feilong's REST interface (1.6) that the provider makes: what is printed by `lab plan` is what `lab up` sends.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::providers::zvm {

struct Call {
  std::string method, path;
  std::optional<boost::json::object> body;  // JSON
  std::string file;                         // bytes instead; of PUT /files
};

std::string name_of(const Call& call);    // "POST /guests"
std::string to_string(const Call& call);  // with its body, for people; a file's bytes are not shown

// Reading changes nothing: it may be asked again.
inline bool reads(const Call& call) { return call.method == "GET"; }

struct GuestOrder {  // a guest to be
  std::string userid;
  std::string label;  // a comment in its directory entry, by which it is known again
  int vcpus = 1, max_cpus = 0;
  std::uint64_t memory_mb = 0;
  std::vector<std::uint64_t> disks;  // bytes; the first one is booted
  std::string disk_pool, user_profile;
  std::string image, os_version;
  std::string vswitch, address, cidr, gateway;
};

inline constexpr const char* kNic = "1000";           // the virtual device of its network card
inline constexpr std::size_t kMostBodyBytes = 4'000;  // longer ones fail with overallRC 101, rs 6
inline constexpr std::size_t kMostAtOnce = 4;         // deployments; Feilong answers more than 20 with 503

Call ask_version();
Call ask_images(const std::string& image);
Call ask_vswitches();
Call ask_guests();
Call ask_entry(const std::string& userid);
Call ask_info(const std::string& userid);
Call ask_power(const std::string& userid);

Call create_guest(const GuestOrder& order);
Call upload(std::string file);
Call deploy(const GuestOrder& order, const std::string& transport_file);
Call create_interface(const GuestOrder& order);
Call couple(const GuestOrder& order);
Call grant(const GuestOrder& order);
Call revoke(const std::string& userid, const std::string& vswitch);
Call start(const std::string& userid);
Call softstop(const std::string& userid);
Call stop(const std::string& userid);
Call remove(const std::string& userid);
Call live_resize(const std::string& userid, int cpus);

}  // namespace lab::providers::zvm
