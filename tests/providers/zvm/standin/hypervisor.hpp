// What Feilong and the z/VM behind it know, as its REST interface (1.6) shows it: requests in, replies out, without a network.
// Traps of the real one are kept: they are what the provider is tested against.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace standin {

struct Guest {
  int defined = 1, online = 1, max_cpus = 32;
  std::uint64_t memory_mb = 0;
  std::vector<std::string> comments;
  std::vector<std::string> disks;
  std::map<std::string, std::string> nics;  // virtual device to virtual switch; empty: not coupled
  std::string image, drive, address, os_version;
  bool on = false;
  bool deaf = false;  // softstop does not reach it
  std::uint64_t cpu_us = 0;
};

struct Message {
  std::string method, path, query, body;
  bool json = false, octets = false;  // media type
};

struct Reply {
  unsigned status = 200;
  std::string body;
  std::string type = "application/json";
};

class Hypervisor {
 public:
  std::map<std::string, Guest> guests;
  std::set<std::string> strays;                            // in z/VM's directory, and Feilong does not know them
  std::map<std::string, std::string> images;               // to distribution
  std::map<std::string, std::set<std::string>> vswitches;  // to those who may couple
  std::map<std::string, std::string> files;                // by path
  bool server_down = false;                                // sdkserver, behind the web server
  // Tells that a guest starts, stops, is deleted: where it is backed by something real.
  std::function<void(const std::string& event, const std::string& userid, const Guest& guest)> event;

  Reply answer(const Message& message);

 private:
  Reply create(const boost::json::object& body);
  Reply on_guest(const Message& message, const std::string& userid, const std::string& part);
  Reply act(const std::string& userid, const boost::json::object& body);
  Reply deploy(const std::string& userid, Guest& guest, const boost::json::object& body);
  Reply live_resize(Guest& guest, const boost::json::object& body);
  Reply add_nic(Guest& guest, const std::string& vdev);
  Reply interface(Guest& guest, const boost::json::object& body);
  Reply couple(Guest& guest, const std::string& vdev, const boost::json::object& body);
  Reply on_vswitch(const std::string& name, const boost::json::object& body);
  Reply remove(const std::string& userid);
  Reply import_file(const Message& message);
  Reply find_images(const std::string& query) const;
  Reply stats(const std::string& query);

  std::map<std::string, std::uint64_t> cached_stats_;
  int next_file_ = 1;
};

Reply success(boost::json::value output);
Reply refusal(int overall_rc, int rs, const std::string& message);
Reply http_fault(unsigned status, const std::string& message);

}  // namespace standin
