// What a new guest reads before it can be reached: who may log in, and which host key it shows. A config drive as OpenStack defines it,
// in a gzipped tar: on z/VM it travels through the guest's card reader, and zvmguestconfigure in the image hands it to cloud-init.
#pragma once

#include "lab/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::zvm {

struct Identity {
  std::string host_name;
  std::string user;             // who may log in
  std::string authorized_key;   // "ssh-ed25519 AAAA… lab"
  std::string host_key;         // private, OpenSSH's format
  std::string host_key_public;  // "ssh-ed25519 AAAA…"
  std::string instance;         // of cloud-init: another one is set up anew
};

struct TarFile {
  std::string name;  // at most 100 bytes
  std::string content;
  int mode = 0600;
};

// openstack/latest/{meta_data.json, user_data, vendor_data.json}
std::vector<TarFile> drive_files(const Identity& identity);

// ustar (POSIX 1003.1), as of the epoch, so that the same files give the same bytes; then gzip.
std::string tar_of(const std::vector<TarFile>& files);
Result<std::string> gzip(std::string_view bytes);

Result<std::string> config_drive(const Identity& identity);

}  // namespace lab::providers::zvm
