// The protocol of one connection, without its I/O: requests in, bytes of responses out.
#pragma once

#include "counters.hpp"
#include "faults.hpp"
#include "password.hpp"
#include "search.hpp"
#include "tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lab::directory {

struct Authority {  // the administrator; empty: there is none, and nobody writes
  std::string dn;   // as answers have it
  std::string normal_dn;
  std::string password;  // empty: that of the entry, if there is one
};

class Session {
 public:
  struct Surroundings {  // of its thread; outlive the session
    Tree& tree;
    const Authority& authority;
    PasswordChecker& passwords;
    Counters& counters;
    Faults& faults;
  };
  struct Transport {
    bool tls = false;
    bool can_start_tls = false;
    std::string external;  // who is at the other end of a Unix socket, for SASL EXTERNAL; empty: nobody knows
  };
  // What comes: another request · more of a search · the end · TLS, once the answer is out · a pause of pause_ns(), then resume() ·
  // a pause without end · the end at once, without a word.
  enum class Next { request, search, close, start_tls, pause, hang, drop };

  Session(const Surroundings& around, Transport transport) : around_(around), transport_(std::move(transport)) {}

  // One whole message, as ldap::frame() delimits it.
  Next handle(std::string_view message, std::string& out, std::int64_t now_ns);
  // More of the search that handle() began: about 64 KiB of entries, or 2,000 looked at.
  Next go_on(std::string& out, std::int64_t now_ns);
  Next resume(std::string& out, std::int64_t now_ns);  // after the pause
  std::int64_t pause_ns() const { return verdict_.delay_ns; }

  // Looks at a message that came while another is under way. True: it was about that one (abandon, cancel), which has ended.
  bool interrupt(std::string_view message, std::string& out);

  void tls_started() { transport_.tls = true; }

  // RFC 4511 section 4.4.1; the connection ends after it.
  static void notice_of_disconnection(std::string& out, ldap::ResultCode code, const std::string& why);

 private:
  struct Operations;  // one overload a request

  Next perform();
  Next answer(ber::Tag response, const ldap::Outcome& outcome, const std::vector<ldap::Control>& controls = {});
  ldap::Outcome bind(const ldap::BindRequest& request);
  ldap::Outcome bind_external(const ldap::BindRequest& request);
  bool password_matches(std::string_view normal_dn, const std::string& given);
  Next search(const ldap::SearchRequest& request);
  ldap::Outcome compare(const ldap::CompareRequest& request) const;
  ldap::Outcome compare_in(const ldap::CompareRequest& request, const EntryView& view) const;
  template <class Request>
  Next update(const Request& request, ber::Tag response);
  Next extended(const ldap::ExtendedRequest& request);
  Next start_tls();
  bool judge_faults();
  bool is_administrator() const { return !around_.authority.normal_dn.empty() && normal_identity_ == around_.authority.normal_dn; }

  const Surroundings around_;
  Transport transport_;
  std::string* out_ = nullptr;  // while a request is handled
  std::int64_t now_ns_ = 0;
  ldap::Message message_;  // the request under way
  ldap::RequestControls controls_;
  Faults::Verdict verdict_;
  bool paused_ = false;
  std::string identity_, normal_identity_;  // DN; empty: anonymous
  std::unique_ptr<Search> search_;          // under way
  std::unique_ptr<Search> resting_;         // between pages
  std::string cookie_;                      // of the page after
  std::uint64_t pages_ = 0;
};

}  // namespace lab::directory
