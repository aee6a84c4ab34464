#include "remote/mapped_file.hpp"
#include "remote/sftp.hpp"
#include "remote/sha256.hpp"
#include "remote/ssh_channel.hpp"
#include "remote/ssh_session.hpp"

#include <cerrno>
#include <fstream>

namespace lab::remote {
namespace {

class SshRemote final : public Remote {
 public:
  explicit SshRemote(std::unique_ptr<SshSession> session) : session_(std::move(session)) {}

  Result<Output> exec(const std::string& command, std::string_view input, Deadline deadline) override {
    if (session_ == nullptr) {
      return closed();
    }
    const auto channel = SshChannel::start(*session_, command, deadline);
    if (!channel) {
      return channel.error();
    }
    return (*channel)->finish(input, deadline);
  }

  Result<bool> upload(const std::filesystem::path& from, const std::string& to, int mode, Deadline deadline) override {
    const auto file = MappedFile::open(from);
    if (!file) {
      return file.error();
    }
    if (const auto started = start_sftp(deadline); !started) {
      return started.error();
    }
    Sha256 sha256;
    sha256.add(file->bytes());
    const std::string wanted = sha256.hex();
    const auto there = matches(to, file->bytes().size(), wanted, deadline);
    if (!there) {
      return there.error();
    }
    if (*there) {
      return false;
    }
    const std::string part = to + ".part";
    auto done = sftp_->write(part, file->bytes(), mode, deadline);
    if (done) {
      done = put_in_place(part, to, file->bytes().size(), wanted, deadline);
    }
    if (!done) {
      sftp_->remove(part, deadline);
      return done.error();
    }
    return true;
  }

  Result<void> download(const std::string& from, const std::filesystem::path& to, Deadline deadline) override {
    if (const auto started = start_sftp(deadline); !started) {
      return started.error();
    }
    const std::string part = to.string() + ".part";
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    const auto done = sftp_->read(from, deadline,
                                  [&out](std::string_view bytes) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    out.close();
    std::error_code failure;
    if (done && out) {
      std::filesystem::rename(part, to, failure);
    } else {
      failure = std::make_error_code(std::errc::io_error);
    }
    if (failure) {
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      return done ? session_->error("download " + from, "cannot write " + to.string(), "is there space, and may you write there?")
                  : done.error();
    }
    return {};
  }

  Result<std::unique_ptr<Channel>> open(const std::string& command, Deadline deadline) override {
    if (session_ == nullptr) {
      return closed();
    }
    auto channel = SshChannel::start(*session_, command, deadline);
    if (!channel) {
      return channel.error();
    }
    return std::unique_ptr<Channel>(std::move(*channel));
  }

  void close(Deadline) override {
    sftp_.reset();
    session_.reset();
  }

 private:
  static Error closed() { return Error{"the connection is closed", {}, {}, {}}; }

  Result<void> start_sftp(Deadline deadline) {
    if (session_ == nullptr) {
      return closed();
    }
    if (sftp_ == nullptr) {
      auto started = Sftp::start(*session_, deadline);
      if (!started) {
        return started.error();
      }
      sftp_ = std::move(*started);
    }
    return {};
  }

  // Whether the node has a file of that size and SHA-256. Read back: SFTP works everywhere, a checksum program may not be there.
  Result<bool> matches(const std::string& path, std::size_t size, const std::string& wanted, Deadline deadline) {
    const auto there = sftp_->size(path, deadline);
    if (!there) {
      return there.error();
    }
    if (!*there || **there != size) {
      return false;
    }
    const auto sum = sha256_of(path, deadline);
    if (!sum) {
      return sum.error();
    }
    return *sum == wanted;
  }

  Result<std::string> sha256_of(const std::string& path, Deadline deadline) {
    Sha256 sha256;
    if (const auto done = sftp_->read(path, deadline, [&sha256](std::string_view bytes) { sha256.add(bytes); }); !done) {
      return done.error();
    }
    return sha256.hex();
  }

  Result<void> put_in_place(const std::string& part, const std::string& to, std::size_t size, const std::string& wanted,
                            Deadline deadline) {
    const auto arrived = matches(part, size, wanted, deadline);
    if (!arrived) {
      return arrived.error();
    }
    if (!*arrived) {
      return session_->error("upload " + to, "what arrived differs from what was sent", "look at the node's disk and memory");
    }
    return sftp_->rename(part, to, deadline);
  }

  std::unique_ptr<SshSession> session_;
  std::unique_ptr<Sftp> sftp_;  // started when first needed
};

}  // namespace

Result<std::unique_ptr<Remote>> connect_ssh(const Target& target, Deadline deadline) {
  auto session = SshSession::connect(target, deadline);
  if (!session) {
    return session.error();
  }
  return std::unique_ptr<Remote>(std::make_unique<SshRemote>(std::move(*session)));
}

Result<HostKey> shown_host_key(const Target& target, Deadline deadline) { return SshSession::host_key_of(target, deadline); }

std::string shell_quote(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "'";
}

}  // namespace lab::remote
