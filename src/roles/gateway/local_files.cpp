#include "roles/gateway/local_files.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <array>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes{{{".html", "text/html; charset=utf-8"},
                                                                                {".htm", "text/html; charset=utf-8"},
                                                                                {".css", "text/css; charset=utf-8"},
                                                                                {".js", "text/javascript; charset=utf-8"},
                                                                                {".mjs", "text/javascript; charset=utf-8"},
                                                                                {".json", "application/json"},
                                                                                {".txt", "text/plain; charset=utf-8"},
                                                                                {".xml", "application/xml"},
                                                                                {".svg", "image/svg+xml"},
                                                                                {".png", "image/png"},
                                                                                {".jpg", "image/jpeg"},
                                                                                {".gif", "image/gif"},
                                                                                {".ico", "image/x-icon"},
                                                                                {".pdf", "application/pdf"}}};

std::string_view type_of(std::string_view name) {
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) {
      return type;
    }
  }
  return "application/octet-stream";
}

int hex_value(char c) { return c <= '9' ? c - '0' : c - 'A' + 10; }  // of a normal form's escapes

std::string decoded(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size()) {
      out += static_cast<char>(hex_value(path[i + 1]) * 16 + hex_value(path[i + 2]));
      i += 2;
    } else {
      out += path[i];
    }
  }
  return out;
}

// openat2(2): the kernel itself keeps below the folder, links included.
net::Fd open_below(int folder, const std::string& name) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return net::Fd(static_cast<int>(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how)));
}

}  // namespace

std::optional<LocalFile> open_local_file(const std::string& root, std::string_view path) {
  std::string name = "." + decoded(path);
  const net::Fd folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    return std::nullopt;
  }
  net::Fd fd = open_below(folder.get(), name);
  struct stat facts {};
  if (fd && fstat(fd.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    name += name.ends_with('/') ? "index.html" : "/index.html";
    fd = open_below(folder.get(), name);
  }
  if (!fd || fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return std::nullopt;
  }
  return LocalFile{std::move(fd), static_cast<std::uint64_t>(facts.st_size), type_of(name)};
}

}  // namespace lab::gateway
