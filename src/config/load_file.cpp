// The file behind `lab load -c FILE`.
#include "config/config.hpp"
#include "config/parts.hpp"
#include "config/role_file.hpp"
#include "config/words.hpp"

namespace lab::config {

namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kMostRequests = std::numeric_limits<std::int64_t>::max();
constexpr double kMostRate = 1e7;
constexpr nanoseconds kShortestSlice = std::chrono::milliseconds(1);

constexpr Field<Credentials> kCredentials[] = {
    {"user", [](Cursor at, Credentials& into) { set(into.user, filled(at)); }, true},
    {"password", [](Cursor at, Credentials& into) { set(into.password, text(at)); }, true},
};

std::optional<Credentials> credentials(Cursor at) {
  Credentials result;
  read_map(at, "a user", kCredentials, result);
  return result;
}

constexpr Field<LoadConfig> kLoadTls[] = {
    {"handshake", [](Cursor at, LoadConfig& into) { set(into.handshake, choice(at, kHandshakes)); }},
    {"min", [](Cursor at, LoadConfig& into) { set(into.tls_min, choice(at, kTlsVersions)); }},
    {"max", [](Cursor at, LoadConfig& into) { set(into.tls_max, choice(at, kTlsVersions)); }},
    {"ciphers", [](Cursor at, LoadConfig& into) { set(into.ciphers, filled(at)); }},
    {"ciphersuites", [](Cursor at, LoadConfig& into) { set(into.ciphersuites, filled(at)); }},
    {"groups", [](Cursor at, LoadConfig& into) { set(into.groups, filled(at)); }},
    {"server-name", [](Cursor at, LoadConfig& into) { set(into.server_name, filled(at)); }},
    {"cert", [](Cursor at, LoadConfig& into) { set(into.certificate, filled(at)); }},
    {"key", [](Cursor at, LoadConfig& into) { set(into.key, filled(at)); }},
    {"full-each", [](Cursor at, LoadConfig& into) { set(into.full_each, whole<std::uint64_t>(at, 0, kMostRequests)); }},
    {"insecure", [](Cursor at, LoadConfig& into) { set(into.insecure, boolean(at)); }},
    {"ca", [](Cursor at, LoadConfig& into) { set(into.ca, filled(at)); }},
};

std::optional<int> status(Cursor at) { return whole<int>(at, 200, 599); }

constexpr Field<LoadConfig> kExpect[] = {
    {"bytes", [](Cursor at, LoadConfig& into) { set(into.expect_bytes, size(at)); }},
    {"sha256", [](Cursor at, LoadConfig& into) { set(into.expect_sha256, filled(at)); }},
    {"status", [](Cursor at, LoadConfig& into) { into.expect_status = one_or_more(at, status); }},
    {"header", [](Cursor at, LoadConfig& into) { set(into.expect_header, filled(at)); }},
    {"text", [](Cursor at, LoadConfig& into) { set(into.expect_text, text(at)); }},
    {"pages", [](Cursor at, LoadConfig& into) { set(into.expect_pages, boolean(at)); }},
};

constexpr Field<LoadConfig> kLogin[] = {
    {"method", [](Cursor at, LoadConfig& into) { set(into.method, choice(at, kLoginMethods)); }},
    {"preemptive", [](Cursor at, LoadConfig& into) { set(into.preemptive, boolean(at)); }},
    {"path", [](Cursor at, LoadConfig& into) { set(into.login_path, url_path(at)); }},
    {"logout-path", [](Cursor at, LoadConfig& into) { set(into.logout_path, url_path(at)); }},
    {"logout-after", [](Cursor at, LoadConfig& into) { set(into.logout_after, whole<std::uint64_t>(at, 1, kMostRequests)); }},
};

constexpr Field<LoadStep> kStep[] = {
    {"path", [](Cursor at, LoadStep& into) { set(into.path, filled(at)); }, true},
    {"weight", [](Cursor at, LoadStep& into) { set(into.weight, whole<unsigned>(at, 1, 1'000'000)); }},
    {"method", [](Cursor at, LoadStep& into) { set(into.method, filled(at)); }},
    {"body", [](Cursor at, LoadStep& into) { set(into.body, text(at)); }},
};

std::optional<LoadStep> step(Cursor at) {
  LoadStep result;
  read_map(at, "a step", kStep, result);
  return result;
}

constexpr Field<LoadAgainst> kAgainstTls[] = {
    {"handshake", [](Cursor at, LoadAgainst& into) { set(into.handshake, choice(at, kHandshakes)); }},
    {"min", [](Cursor at, LoadAgainst& into) { set(into.tls_min, choice(at, kTlsVersions)); }},
    {"max", [](Cursor at, LoadAgainst& into) { set(into.tls_max, choice(at, kTlsVersions)); }},
    {"ciphers", [](Cursor at, LoadAgainst& into) { set(into.ciphers, filled(at)); }},
};

constexpr Field<LoadAgainst> kAgainst[] = {
    {"url", [](Cursor at, LoadAgainst& into) { set(into.url, filled(at)); }, true},
    {"slice", [](Cursor at, LoadAgainst& into) { set(into.slice, duration(at, kShortestSlice)); }},
    {"gap", [](Cursor at, LoadAgainst& into) { set(into.gap, duration(at)); }},
    {"auth", [](Cursor at, LoadAgainst& into) { set(into.login, choice(at, kLoginModes)); }},
    {"tls", [](Cursor at, LoadAgainst& into) { read_map(at, "`tls`", kAgainstTls, into); }},
};

void read_against(Cursor at, std::optional<LoadAgainst>& into) { read_map(at, "`against`", kAgainst, into.emplace()); }

constexpr Field<LoadConfig> kLoad[] = {
    {"url", [](Cursor at, LoadConfig& into) { set(into.url, filled(at)); }, true},
    {"clients", [](Cursor at, LoadConfig& into) { set(into.clients, whole<int>(at, 1, kMostClients)); }},
    {"threads", [](Cursor at, LoadConfig& into) { set(into.threads, whole<int>(at, 1, kMostThreads)); }},
    {"rate", [](Cursor at, LoadConfig& into) { set(into.rate, number(at, 1e-3, kMostRate)); }},
    {"spin", [](Cursor at, LoadConfig& into) { set(into.spin, boolean(at)); }},
    {"poisson", [](Cursor at, LoadConfig& into) { set(into.poisson, boolean(at)); }},
    {"first-arrival", [](Cursor at, LoadConfig& into) { set(into.first_arrival, duration(at)); }},
    {"seed", [](Cursor at, LoadConfig& into) { set(into.seed, whole<std::uint64_t>(at, 0, kMostRequests)); }},
    {"warmup", [](Cursor at, LoadConfig& into) { set(into.warmup, duration(at)); }},
    {"duration", [](Cursor at, LoadConfig& into) { set(into.duration, duration(at, nanoseconds(1))); }},
    {"requests", [](Cursor at, LoadConfig& into) { set(into.requests, whole<std::uint64_t>(at, 1, kMostRequests)); }},
    {"start-at-ns", [](Cursor at, LoadConfig& into) { set(into.start_at_ns, integer(at, 0, kMostRequests)); }},
    {"timeout", [](Cursor at, LoadConfig& into) { set(into.timeout, duration(at, nanoseconds(1))); }},
    {"against", [](Cursor at, LoadConfig& into) { read_against(at, into.against); }},
    {"tls", [](Cursor at, LoadConfig& into) { read_map(at, "`tls`", kLoadTls, into); }},
    {"close", [](Cursor at, LoadConfig& into) { set(into.close, boolean(at)); }},
    {"requests-per-connection",
     [](Cursor at, LoadConfig& into) { set(into.requests_per_connection, whole<std::uint64_t>(at, 1, kMostRequests)); }},
    {"sources", [](Cursor at, LoadConfig& into) { into.sources = one_or_more(at, filled); }},
    {"login", [](Cursor at, LoadConfig& into) { read_map(at, "`login`", kLogin, into); }},
    {"cookies", [](Cursor at, LoadConfig& into) { set(into.cookies, boolean(at)); }},
    {"steps", [](Cursor at, LoadConfig& into) { into.steps = list(at, step); }},
    {"auth", [](Cursor at, LoadConfig& into) { set(into.login, choice(at, kLoginModes)); }},
    {"users", [](Cursor at, LoadConfig& into) { into.users = list(at, credentials); }},
    {"generated-users", [](Cursor at, LoadConfig& into) { set(into.generated_users, whole<unsigned>(at, 1, kMostUsers)); }},
    {"first-user", [](Cursor at, LoadConfig& into) { set(into.first_user, whole<unsigned>(at, 1, kMostUsers)); }},
    {"think", [](Cursor at, LoadConfig& into) { set(into.think, duration(at)); }},
    {"headers", [](Cursor at, LoadConfig& into) { into.headers = list(at, filled); }},
    {"expect", [](Cursor at, LoadConfig& into) { read_map(at, "`expect`", kExpect, into); }},
    {"hdr", [](Cursor at, LoadConfig& into) { set(into.hdr, filled(at)); }},
    {"csv", [](Cursor at, LoadConfig& into) { set(into.csv, filled(at)); }},
    {"control", [](Cursor at, LoadConfig& into) { set(into.control, filled(at)); }},
};

}  // namespace

Result<LoadConfig, Errors> parse_load(std::string_view text, const std::string& path) {
  return parse<LoadConfig>(text, path, "a load driver's file", kLoad, [](Cursor at, const LoadConfig& config) {
    if (config.tls_min && config.tls_max && *config.tls_min > *config.tls_max) {
      at.errors.add(at.value.entry("tls")->mark, "`min` is above `max`", "exchange them", 3);
    }
  });
}

}  // namespace lab::config
