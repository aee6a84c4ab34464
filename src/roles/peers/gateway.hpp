// Runs somebody else's gateway with our gateway's configuration: writes its files, starts it as a child, answers on the control socket in
// its place (docs/agent-protocol.md).
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "roles/common/role.hpp"
#include "roles/peers/child.hpp"
#include "roles/peers/peer.hpp"

#include <boost/json/value.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lab::peers {

class PeerGateway {
 public:
  // In the current folder, where its files and its socket are; paths of the configuration are absolute. Returns once it serves.
  static Result<std::unique_ptr<PeerGateway>> start(const GatewayConfig& config, Deadline deadline);
  ~PeerGateway();  // ends it: requests under way have a second

  std::vector<std::string> listening() const;
  // OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS) as openssl(1) tells it under this environment: the library is the same file as the child's.
  // Empty where that program is missing.
  std::string openssl_cpu() const;
  int ended() const { return child_.ended(); }  // readable when the program ended by itself
  Result<void> check_running();                 // an error once it has

  Result<boost::json::value> control(std::string_view method);  // from any thread

 private:
  PeerGateway(const GatewayConfig& config, std::unique_ptr<Peer> peer, Child child);
  Result<void> await_ready(Deadline deadline);
  Result<PeerCounters> counters(Deadline deadline);
  Result<boost::json::value> flush_logs();

  const GatewayConfig config_;
  const std::unique_ptr<Peer> peer_;
  Child child_;
  std::mutex asking_;
  std::uint64_t asked_ = 0;
  std::unique_ptr<roles::ControlServer> control_;
};

}  // namespace lab::peers
