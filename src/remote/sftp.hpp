// Files over an SSH session's SFTP subsystem.
#pragma once

#include "remote/ssh_session.hpp"

#include <libssh2_sftp.h>
#include <cstdint>
#include <optional>
#include <utility>

namespace lab::remote {

class Sftp {
 public:
  static Result<std::unique_ptr<Sftp>> start(SshSession& session, Deadline deadline);
  Sftp(const Sftp&) = delete;
  Sftp& operator=(const Sftp&) = delete;
  ~Sftp();

  Result<std::optional<std::uint64_t>> size(const std::string& path, Deadline deadline);  // nothing: no such file
  // Writes the whole file and has the server put it on its disk, where it can (fsync@openssh.com).
  Result<void> write(const std::string& path, std::string_view bytes, int mode, Deadline deadline);
  // Calls sink with the file's bytes, in order, in pieces.
  template <class Sink>
  Result<void> read(const std::string& path, Deadline deadline, Sink sink) {
    auto file = open(path, LIBSSH2_FXF_READ, 0, deadline);
    if (!file) {
      return file.error();
    }
    std::string piece(kPiece, '\0');
    while (true) {
      const auto got =
          session_.until_done("read " + path, deadline, [&] { return libssh2_sftp_read(file->raw, piece.data(), piece.size()); });
      if (!got) {
        return explain(got.error(), path, 0, deadline);
      }
      if (*got == 0) {
        return {};
      }
      sink(std::string_view(piece).substr(0, static_cast<std::size_t>(*got)));
    }
  }
  // Replaces what is there: libssh2 1.10 has no posix-rename@openssh.com, and SFTP's own rename refuses, so that goes first.
  Result<void> rename(const std::string& from, const std::string& to, Deadline deadline);
  void remove(const std::string& path, Deadline deadline);

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  struct File {
    File(SshSession& session_in, LIBSSH2_SFTP_HANDLE* raw_in) : session(session_in), raw(raw_in) {}
    File(File&& other) noexcept : session(other.session), raw(std::exchange(other.raw, nullptr)) {}
    File& operator=(File&&) = delete;
    ~File();  // closes
    SshSession& session;
    LIBSSH2_SFTP_HANDLE* raw;
  };

  Sftp(SshSession& session, LIBSSH2_SFTP* sftp) : session_(session), sftp_(sftp) {}
  Result<File> open(const std::string& path, unsigned long flags, int mode, Deadline deadline);
  Result<void> flush(File& file, const std::string& path, int mode, Deadline deadline);
  // Adds what the server said, and whether `missing` bytes more would have fitted on its disk.
  Error explain(Error error, const std::string& path, std::uint64_t missing, Deadline deadline);

  SshSession& session_;
  LIBSSH2_SFTP* sftp_;
};

}  // namespace lab::remote
