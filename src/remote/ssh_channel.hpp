// A command on a node, over a channel of an SSH session.
#pragma once

#include "remote/ssh_session.hpp"

namespace lab::remote {

class SshChannel final : public Channel {
 public:
  static Result<std::unique_ptr<SshChannel>> start(SshSession& session, const std::string& command, Deadline deadline);
  ~SshChannel() override;

  Result<void> write(std::string_view bytes, Deadline deadline) override;
  Result<std::optional<std::string>> read(Deadline deadline) override;
  std::string errors() const override { return errors_; }
  void wake() override { session_.wake(); }
  void abort() override { session_.abort(); }

  // Gives it the input and takes what it says until it has ended.
  Result<Output> finish(std::string_view input, Deadline deadline);

 private:
  SshChannel(SshSession& session, LIBSSH2_CHANNEL* channel, std::string doing)
      : session_(session), channel_(channel), doing_(std::move(doing)) {}
  Result<bool> take(int stream, std::string& into, std::size_t limit);
  Result<bool> give(std::string_view& input);
  Result<int> exit_code(Deadline deadline);

  SshSession& session_;
  LIBSSH2_CHANNEL* channel_;
  std::string doing_;  // for messages
  std::string errors_;
};

}  // namespace lab::remote
