// Provider zvm: guests of z/VM that Feilong creates, and guests (or any hosts) that exist, given by `host`.
#pragma once

#include "providers/provider.hpp"
#include "providers/zvm/feilong.hpp"
#include "providers/zvm/place.hpp"
#include "remote/binaries.hpp"
#include "remote/remote.hpp"

#include <functional>
#include <memory>

namespace lab::providers::zvm {

// What the provider reaches the world by; tests put fakes here.
struct Means {
  explicit Means(remote::Binaries nodes, bool new_host_keys = false) : binaries(std::move(nodes)), accept_new_host_keys(new_host_keys) {}

  remote::Binaries binaries;          // what guests and given hosts can be given to run
  bool accept_new_host_keys = false;  // of given hosts, as provider ssh has it
  MakeTransport transport = make_http;
  Pause pause = real_pause();
  std::function<Result<std::unique_ptr<remote::Remote>>(const remote::Target&, Deadline)> connect = remote::connect_ssh;
};

std::unique_ptr<Provider> make_zvm(Means means);

}  // namespace lab::providers::zvm
