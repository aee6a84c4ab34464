// A stand-in for Feilong's REST interface on a loopback port: keeps state, and misbehaves on request.
#pragma once

#include "hypervisor.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace standin {

enum class Fault {
  busy,       // 503, as with more than 20 deployments at once
  expired,    // 401: the token is no longer taken, a new one is
  html,       // a bare 404, as a page for people
  cut_first,  // the connection is cut before anything is done
  cut_after,  // it is done, and the connection is cut before the answer
  stall,      // it is done, and no answer comes until the client gives up
};

struct Misbehaviour {
  Fault fault = Fault::busy;
  std::string call;  // beginning of "METHOD /path BODY": which ones; empty: all
  int times = 1;
};

struct Settings {
  std::uint16_t port = 0;   // 0: the kernel's choice
  std::string admin_token;  // empty: `auth = none`, nobody looks
};

class Server {
 public:
  explicit Server(Settings settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const;
  void misbehave(Misbehaviour how);
  // What was asked, "METHOD /path BODY" each, in order; without tokens and the bytes of files.
  std::vector<std::string> journal() const;
  void forget_journal();
  int tokens_given() const;
  int most_deploying() const;                // at the same time
  void hold_deployments(int until_so_many);  // they are answered once so many are under way together; 0: at once

  // With the state in hand, nobody else at it.
  template <class Work>
  auto with(Work work) {
    const std::lock_guard guard(mutex_);
    return work(hypervisor_);
  }

 private:
  class Network;
  struct Asked {
    Message message;
    std::string token, admin_token;
    bool wants_json = false;
  };
  struct Answer {
    Reply reply;
    std::string token;
    std::optional<Fault> fault;
  };
  Answer answer(const Asked& asked);
  std::optional<Fault> fault_for(const std::string& call);
  Reply deploy(const Message& message);

  const Settings settings_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Hypervisor hypervisor_;
  std::vector<Misbehaviour> misbehaviours_;
  std::vector<std::string> journal_;
  std::string valid_token_;
  int tokens_given_ = 0, deploying_ = 0, most_deploying_ = 0, hold_until_ = 0;
  bool ending_ = false;
  std::unique_ptr<Network> network_;  // last: its threads use the rest
};

}  // namespace standin
