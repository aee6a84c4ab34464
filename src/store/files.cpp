#include "files.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <string>

namespace lab::store {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string remedy_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return "free space there, or choose a folder on another disk";
    case EACCES:
    case EPERM:
    case EROFS: return "give a folder that you may write to with -o";
    default: return {};
  }
}

}  // namespace

Error file_error(const char* action, const std::filesystem::path& file, int error_number) {
  return system_error(std::string(action) + " " + file.string(), error_number, remedy_for(error_number));
}

Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& file) {
  while (!text.empty()) {
    const ssize_t n = write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return file_error("write", file, errno);
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> write_atomically(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path temporary = file.string() + ".new";
  const auto give_up = [&](Error error) -> Result<void> {
    unlink(temporary.c_str());
    return error;
  };
  {
    const Descriptor fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (fd.get() < 0) {
      return file_error("create", file, errno);
    }
    if (auto written = write_all(fd.get(), text, file); !written) {
      return give_up(written.error());
    }
    if (fsync(fd.get()) != 0) {
      return give_up(file_error("write", file, errno));
    }
  }
  if (rename(temporary.c_str(), file.c_str()) != 0) {
    return give_up(file_error("replace", file, errno));
  }
  return {};
}

Result<void> link_atomically(const std::filesystem::path& target, const std::filesystem::path& link) {
  const std::filesystem::path temporary = link.string() + ".new";
  unlink(temporary.c_str());
  if (symlink(target.c_str(), temporary.c_str()) != 0) {
    return file_error("link", link, errno);
  }
  if (rename(temporary.c_str(), link.c_str()) != 0) {
    const Error error = file_error("replace", link, errno);
    unlink(temporary.c_str());
    return error;
  }
  return {};
}

}  // namespace lab::store
