#include "remote/sftp.hpp"

#include <algorithm>
#include <chrono>

namespace lab::remote {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWindow = std::size_t{4} << 20;  // libssh2 sends so much before it waits for an acknowledgement
constexpr auto kReleaseTime = 1s;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

unsigned length(const std::string& text) { return static_cast<unsigned>(text.size()); }

std::string status_text(unsigned long status) {
  switch (status) {
    case LIBSSH2_FX_NO_SUCH_FILE: return "no such file or folder";
    case LIBSSH2_FX_PERMISSION_DENIED: return "permission denied";
    case LIBSSH2_FX_OP_UNSUPPORTED: return "the server cannot do it";
    default: return "the server reports a failure";
  }
}

}  // namespace

Result<std::unique_ptr<Sftp>> Sftp::start(SshSession& session, Deadline deadline) {
  const auto made = session.until_made("start SFTP", deadline, [&session] { return libssh2_sftp_init(session.raw()); });
  if (!made) {
    Error error = made.error();
    error.remedy = "the node's sshd needs `Subsystem sftp internal-sftp` in its configuration";
    return error;
  }
  return std::unique_ptr<Sftp>(new Sftp(session, *made));
}

Sftp::~Sftp() {
  session_.until_released(Clock::now() + kReleaseTime, [this] { return libssh2_sftp_shutdown(sftp_); });
}

Sftp::File::~File() {
  if (raw != nullptr) {
    session.until_released(Clock::now() + kReleaseTime, [this] { return libssh2_sftp_close_handle(raw); });
  }
}

Result<Sftp::File> Sftp::open(const std::string& path, unsigned long flags, int mode, Deadline deadline) {
  const auto opened = session_.until_made(
      "open " + path, deadline, [&] { return libssh2_sftp_open_ex(sftp_, path.data(), length(path), flags, mode, LIBSSH2_SFTP_OPENFILE); });
  if (!opened) {
    return explain(opened.error(), path, 0, deadline);
  }
  return File(session_, *opened);
}

Result<std::optional<std::uint64_t>> Sftp::size(const std::string& path, Deadline deadline) {
  LIBSSH2_SFTP_ATTRIBUTES attributes{};
  const auto done = session_.until_done(
      "look at " + path, deadline, [&] { return libssh2_sftp_stat_ex(sftp_, path.data(), length(path), LIBSSH2_SFTP_STAT, &attributes); });
  if (done) {
    return std::optional<std::uint64_t>(attributes.filesize);
  }
  if (libssh2_session_last_errno(session_.raw()) == LIBSSH2_ERROR_SFTP_PROTOCOL &&
      libssh2_sftp_last_error(sftp_) == LIBSSH2_FX_NO_SUCH_FILE) {
    return std::optional<std::uint64_t>();
  }
  return explain(done.error(), path, 0, deadline);
}

Result<void> Sftp::write(const std::string& path, std::string_view bytes, int mode, Deadline deadline) {
  auto file = open(path, LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_TRUNC, mode, deadline);
  if (!file) {
    return file.error();
  }
  while (!bytes.empty()) {
    const auto wrote = session_.until_done("write " + path, deadline,
                                           [&] { return libssh2_sftp_write(file->raw, bytes.data(), std::min(bytes.size(), kWindow)); });
    if (!wrote) {
      return explain(wrote.error(), path, bytes.size(), deadline);
    }
    bytes.remove_prefix(static_cast<std::size_t>(*wrote));
  }
  return flush(*file, path, mode, deadline);
}

Result<void> Sftp::flush(File& file, const std::string& path, int mode, Deadline deadline) {
  LIBSSH2_SFTP_ATTRIBUTES attributes{};  // the mode given at creation went through the server's umask
  attributes.flags = LIBSSH2_SFTP_ATTR_PERMISSIONS;
  attributes.permissions = static_cast<unsigned long>(mode);
  const auto set =
      session_.until_done("set the mode of " + path, deadline, [&] { return libssh2_sftp_fstat_ex(file.raw, &attributes, 1); });
  if (!set) {
    return explain(set.error(), path, 0, deadline);
  }
  const auto synced = session_.until_done("sync " + path, deadline, [&] { return libssh2_sftp_fsync(file.raw); });
  if (!synced && libssh2_sftp_last_error(sftp_) != LIBSSH2_FX_OP_UNSUPPORTED) {
    return explain(synced.error(), path, 0, deadline);
  }
  return {};
}

Result<void> Sftp::rename(const std::string& from, const std::string& to, Deadline deadline) {
  const auto attempt = [&] {
    return session_.until_done("rename " + from, deadline, [&] {
      return libssh2_sftp_rename_ex(sftp_, from.data(), length(from), to.data(), length(to), LIBSSH2_SFTP_RENAME_OVERWRITE);
    });
  };
  if (attempt()) {
    return {};
  }
  remove(to, deadline);
  if (const auto done = attempt(); !done) {
    return explain(done.error(), to, 0, deadline);
  }
  return {};
}

void Sftp::remove(const std::string& path, Deadline deadline) {
  // A file that cannot be removed is met again, and overwritten, by the next upload.
  static_cast<void>(
      session_.until_done("remove " + path, deadline, [&] { return libssh2_sftp_unlink_ex(sftp_, path.data(), length(path)); }));
}

Error Sftp::explain(Error error, const std::string& path, std::uint64_t missing, Deadline deadline) {
  if (libssh2_session_last_errno(session_.raw()) != LIBSSH2_ERROR_SFTP_PROTOCOL) {
    return error;  // of the connection
  }
  error.what = path + ": " + status_text(libssh2_sftp_last_error(sftp_));
  LIBSSH2_SFTP_STATVFS disk{};
  const std::string folder = folder_of(path);
  if (missing == 0 || !session_.until_done("look at " + folder, deadline,
                                           [&] { return libssh2_sftp_statvfs(sftp_, folder.data(), folder.size(), &disk); })) {
    return error;
  }
  const std::uint64_t free = disk.f_bavail * disk.f_frsize;
  if (free < missing) {
    error.what = path + ": the disk is full: " + format_size(free) + " are free, " + format_size(missing) + " more are needed";
    error.remedy = "free space under " + folder + " on node " + session_.target().node;
  }
  return error;
}

}  // namespace lab::remote
