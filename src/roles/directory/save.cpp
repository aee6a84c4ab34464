#include "save.hpp"

#include "ldap/ldif.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>

namespace lab::directory {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

class File {
 public:
  explicit File(const std::string& path) : path_(path), fd_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~File() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string& text() { return text_; }
  bool flush(std::size_t unless_below) {
    std::size_t at = 0;
    while (fd_ >= 0 && text_.size() >= unless_below && at < text_.size()) {
      const ssize_t wrote = write(fd_, text_.data() + at, text_.size() - at);
      if (wrote < 0 && errno != EINTR) {
        return false;
      }
      at += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    text_.erase(0, at);
    return fd_ >= 0;
  }
  bool finish() { return flush(0) && fsync(fd_) == 0; }

 private:
  const std::string path_;
  int fd_;
  std::string text_;
};

bool write_below(const Tree& tree, EntryId top, File& file) {
  for (EntryId id = top; id != kNoEntry;) {
    ldap::append_ldif(file.text(), std::string(tree[id].dn()), attributes_of(tree[id]));
    if (!file.flush(kBuffer)) {
      return false;
    }
    if (tree[id].first_child != kNoEntry) {
      id = tree[id].first_child;
      continue;
    }
    while (id != top && tree[id].next_sibling == kNoEntry) {
      id = tree[id].parent;
    }
    id = id == top ? kNoEntry : tree[id].next_sibling;
  }
  return true;
}

}  // namespace

Result<void> save_ldif(const Tree& tree, const std::string& path) {
  const std::string beside = path + ".new";
  File file(beside);
  bool written = true;
  for (const EntryId context : tree.naming_contexts()) {
    written = written && write_below(tree, context, file);
  }
  if (!written || !file.finish() || rename(beside.c_str(), path.c_str()) != 0) {
    const int why = errno;
    unlink(beside.c_str());
    return system_error("save the entries to " + path, why, "the changes are lost: name a file that can be written with --save");
  }
  return {};
}

}  // namespace lab::directory
