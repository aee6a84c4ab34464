// Search the user's entry, bind as it, search its groups: three requests a login, each on a kept connection.
#include "roles/gateway/authenticator.hpp"

#include "ldap/text.hpp"
#include "roles/gateway/authenticator_pool.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace lab::gateway {

namespace {

using ldap::ResultCode;

constexpr net::Nanos kDeadline = 10'000'000'000;
constexpr int kMaxGroups = 1'000;

struct DirectoryUrl {
  std::string host;
  std::uint16_t port = 0;
  bool tls = false;
};

// ldap://HOST[:PORT], ldaps://HOST[:PORT], [::1] in brackets, a slash at the end or not.
std::optional<DirectoryUrl> parse_url(std::string_view text) {
  DirectoryUrl url;
  url.tls = text.starts_with("ldaps://");
  if (!url.tls && !text.starts_with("ldap://")) {
    return std::nullopt;
  }
  text.remove_prefix(url.tls ? 8 : 7);
  if (text.ends_with('/')) {
    text.remove_suffix(1);
  }
  url.port = url.tls ? 636 : 389;
  const std::size_t bracket = text.find(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
    if (bad != std::errc{} || end != digits.data() + digits.size() || url.port == 0) {
      return std::nullopt;
    }
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  url.host = host;
  return host.empty() || host.find('/') != std::string_view::npos ? std::nullopt : std::optional(url);
}

Result<DirectoryServer> make_server(const DirectoryClient& settings) {
  const std::optional<DirectoryUrl> url = parse_url(settings.url);
  if (!url) {
    return Error{"\"" + settings.url + "\" is no directory", {}, "write ldap://HOST:PORT or ldaps://HOST:PORT", {}, Failure::usage};
  }
  Result<net::Address> address = net::Address::resolve(url->host, url->port);
  if (!address) {
    return address.error();
  }
  DirectoryServer server{settings.url, url->host, *address, nullptr, settings.start_tls};
  if (url->tls || settings.start_tls) {
    Result<net::TlsContext> context = net::make_client_context({settings.ca, true, {}, {}, {}});
    if (!context) {
      return context.error();
    }
    server.context = std::move(*context);
  }
  return server;
}

struct Attempt {  // one login under way
  std::string user, password;
  std::function<void(Login)> answer;
  net::Nanos deadline = 0;
  std::string dn;
  Login login;

  void refuse() { answer({Login::Outcome::refused, {}, {}, {}}); }
  void give_up(std::string why) { answer({Login::Outcome::unavailable, {}, {}, std::move(why)}); }
  void give_up(const ldap::Outcome& outcome, const char* during) {
    give_up(std::string("the directory answers ") + during + " with code " + std::to_string(static_cast<int>(outcome.code)) +
            (outcome.diagnostic.empty() ? "" : ": " + outcome.diagnostic));
  }
};

// Of these values the one that equals `wanted` but for case; the first where none does.
std::string spelled_by_directory(const ldap::SearchEntry& entry, const std::string& wanted) {
  for (const ldap::Attribute& attribute : entry.attributes) {
    for (const std::string& value : attribute.values) {
      if (ldap::equal_ignoring_case(value, wanted)) {
        return value;
      }
    }
  }
  const bool some = !entry.attributes.empty() && !entry.attributes.front().values.empty();
  return some ? entry.attributes.front().values.front() : wanted;
}

bool means_refused(ResultCode code) {
  constexpr int kConstraintViolation = 19;  // a locked or expired account, where a directory has password policies
  return code == ResultCode::invalid_credentials || code == ResultCode::inappropriate_authentication ||
         code == ResultCode::no_such_object || code == ResultCode::unwilling_to_perform || static_cast<int>(code) == kConstraintViolation;
}

class DirectoryAuthenticator final : public Authenticator {
 public:
  DirectoryAuthenticator(net::Loop& loop, DirectoryClient settings, DirectoryServer server)
      : loop_(loop),
        settings_(std::move(settings)),
        server_(std::move(server)),
        searches_(loop, server_, settings_.connections),
        binds_(loop, server_, settings_.connections) {}

  void authenticate(std::string user, std::string password, std::function<void(Login)> answer) override {
    if (user.empty() || password.empty()) {  // RFC 4513 section 5.1.2: such a bind would succeed and prove nothing
      loop_.defer([answer = std::move(answer)] { answer({Login::Outcome::refused, {}, {}, {}}); });
      return;
    }
    auto attempt = std::make_shared<Attempt>();
    attempt->user = std::move(user);
    attempt->password = std::move(password);
    attempt->answer = std::move(answer);
    attempt->deadline = loop_.now() + kDeadline;
    find_entry(attempt);
  }

 private:
  using Attempts = std::shared_ptr<Attempt>;

  void ask(DirectoryPool& pool, const Attempts& attempt, ldap::Operation operation,
           void (DirectoryAuthenticator::*next)(const Attempts&, DirectoryReply&)) {
    pool.ask({std::move(operation), attempt->deadline,
              [this, attempt, next](Result<DirectoryReply> reply) {
                if (!reply) {
                  return attempt->give_up(reply.error().what + " (" + reply.error().where + ")");
                }
                (this->*next)(attempt, *reply);
              },
              false});
  }

  // The user's text goes into the message as a value of its own: no text of a filter is made, so nothing can be injected.
  void find_entry(const Attempts& attempt) {
    ldap::SearchRequest search;
    search.base = settings_.people;
    search.size_limit = 2;
    search.filter = ldap::all_of({ldap::equality("objectClass", "inetOrgPerson"), ldap::equality("uid", attempt->user)});
    search.attributes = {"uid"};
    ask(searches_, attempt, std::move(search), &DirectoryAuthenticator::entry_found);
  }

  void entry_found(const Attempts& attempt, DirectoryReply& reply) {
    const bool searched = reply.outcome.code == ResultCode::success || reply.outcome.code == ResultCode::size_limit_exceeded;
    if (!searched) {
      return attempt->give_up(reply.outcome, "the search for a user");
    }
    if (reply.entries.empty()) {
      return attempt->refuse();
    }
    if (reply.entries.size() > 1) {
      return attempt->give_up("more than one entry has the uid of a user who logs in");
    }
    attempt->dn = std::move(reply.entries.front().dn);
    attempt->login.user = spelled_by_directory(reply.entries.front(), attempt->user);
    ask(binds_, attempt, ldap::BindRequest{3, attempt->dn, attempt->password, {}}, &DirectoryAuthenticator::bound);
  }

  void bound(const Attempts& attempt, DirectoryReply& reply) {
    if (means_refused(reply.outcome.code)) {
      return attempt->refuse();
    }
    if (reply.outcome.code != ResultCode::success) {
      return attempt->give_up(reply.outcome, "a bind");
    }
    ldap::SearchRequest search;
    search.base = settings_.groups;
    search.size_limit = kMaxGroups;
    search.filter = ldap::equality("member", attempt->dn);
    search.attributes = {"cn"};
    ask(searches_, attempt, std::move(search), &DirectoryAuthenticator::groups_found);
  }

  // A directory without groups is one where nobody is in any.
  void groups_found(const Attempts& attempt, DirectoryReply& reply) {
    const ResultCode code = reply.outcome.code;
    if (code != ResultCode::success && code != ResultCode::size_limit_exceeded && code != ResultCode::no_such_object) {
      return attempt->give_up(reply.outcome, "the search for groups");
    }
    Login login = std::move(attempt->login);
    login.outcome = Login::Outcome::granted;
    for (const ldap::SearchEntry& entry : reply.entries) {
      if (!entry.attributes.empty() && !entry.attributes.front().values.empty()) {
        login.groups.push_back(entry.attributes.front().values.front());
      }
    }
    std::sort(login.groups.begin(), login.groups.end());
    attempt->answer(std::move(login));
  }

  net::Loop& loop_;
  const DirectoryClient settings_;
  const DirectoryServer server_;
  DirectoryPool searches_;  // anonymous for ever: a bind would change whose eyes they see with
  DirectoryPool binds_;
};

}  // namespace

Result<std::unique_ptr<Authenticator>> Authenticator::create(net::Loop& loop, const DirectoryClient& settings) {
  Result<DirectoryServer> server = make_server(settings);
  if (!server) {
    return server.error();
  }
  return std::unique_ptr<Authenticator>(std::make_unique<DirectoryAuthenticator>(loop, settings, std::move(*server)));
}

}  // namespace lab::gateway
