#include "providers/zvm/config_drive.hpp"

#include <zlib.h>
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>

namespace lab::providers::zvm {

namespace {

namespace json = boost::json;

constexpr std::size_t kBlock = 512;
constexpr const char* kFolder = "openstack/latest/";

// As YAML has literal blocks, below a key.
std::string indented(const std::string& text, const std::string& by) {
  std::string result;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += by + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return result;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

// cloud-init, modules ssh and users-groups: the host key is ours and no other is made, root may log in by key alone.
std::string user_data(const Identity& identity) {
  const bool root = identity.user == "root";
  std::string text = "#cloud-config\npreserve_hostname: false\nssh_pwauth: false\nssh_deletekeys: true\ndisable_root: ";
  text += root ? "false\n" : "true\n";
  text += "ssh_keys:\n  ed25519_private: |\n" + indented(trimmed(identity.host_key), "    ") +
          "  ed25519_public: " + trimmed(identity.host_key_public) + "\n";
  text += "users:\n  - name: " + identity.user + "\n    ssh_authorized_keys:\n      - " + trimmed(identity.authorized_key) + "\n";
  text += root ? "" : "    sudo: ALL=(ALL) NOPASSWD:ALL\n    shell: /bin/bash\n";
  return text;
}

json::object meta_data(const Identity& identity) {
  return {{"uuid", identity.instance},
          {"name", identity.host_name},
          {"hostname", identity.host_name},
          {"launch_index", 0},
          {"public_keys", {{"lab", trimmed(identity.authorized_key)}}}};
}

void put_text(std::string& header, std::size_t at, const std::string& text) { header.replace(at, text.size(), text); }

void put_octal(std::string& header, std::size_t at, int digits, std::uint64_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%0*llo", digits, static_cast<unsigned long long>(value));
  put_text(header, at, text.data());
}

std::string header_of(const TarFile& file) {
  std::string header(kBlock, '\0');
  put_text(header, 0, file.name.substr(0, 100));
  put_octal(header, 100, 7, static_cast<std::uint64_t>(file.mode));
  put_octal(header, 108, 7, 0);  // user and group: root
  put_octal(header, 116, 7, 0);
  put_octal(header, 124, 11, file.content.size());
  put_octal(header, 136, 11, 0);  // changed at the epoch
  put_text(header, 148, "        ");
  put_text(header, 156, "0");  // a file
  put_text(header, 257, "ustar");
  put_text(header, 263, "00");
  put_text(header, 265, "root");
  put_text(header, 297, "root");
  std::uint64_t sum = 0;
  for (const char c : header) {
    sum += static_cast<unsigned char>(c);
  }
  put_octal(header, 148, 6, sum);
  header[154] = '\0';
  return header;
}

}  // namespace

std::vector<TarFile> drive_files(const Identity& identity) {
  return {{std::string(kFolder) + "meta_data.json", json::serialize(meta_data(identity)) + "\n"},
          {std::string(kFolder) + "user_data", user_data(identity)},
          {std::string(kFolder) + "vendor_data.json", "{}\n"}};
}

std::string tar_of(const std::vector<TarFile>& files) {
  std::string tar;
  for (const TarFile& file : files) {
    tar += header_of(file) + file.content;
    tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return tar;
}

Result<std::string> gzip(std::string_view bytes) {
  constexpr int kGzip = 16, kWindow = 15, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip + kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{"no memory to compress the config drive", "", "free some"};
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in(bytes);  // zlib takes it from what it might write to
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return done == Z_STREAM_END ? Result<std::string>(std::move(out)) : Error{"compressing the config drive fails", "", ""};
}

Result<std::string> config_drive(const Identity& identity) { return gzip(tar_of(drive_files(identity))); }

}  // namespace lab::providers::zvm
