// What each service is told: the values behind `lab gateway|directory|pages|load -c FILE`.
// Files are YAML (JSON is a subset); src/config reads them and writes them as JSON for the agent.
#pragma once

#include "lab/load_config.hpp"
#include "lab/tls_version.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab {

enum class Software { lab, nginx, haproxy, external };  // kind: whose program plays the role

struct Endpoint {
  std::string host;  // numeric address or name
  std::uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};

struct TlsServer {
  std::string certificate;  // PEM chain file
  std::string key;          // PEM file
  TlsVersion min = TlsVersion::tls1_2;
  TlsVersion max = TlsVersion::tls1_3;
  std::string ciphers;  // OpenSSL list for TLS 1.2; empty: OpenSSL's default
  bool operator==(const TlsServer&) const = default;
};

// Common to the three roles that serve.
struct Service {
  std::vector<Endpoint> plain;  // http: or ldap:
  std::vector<Endpoint> tls;    // https: or ldaps:
  TlsServer certificate;
  int threads = 1;
  std::string control;              // path of the control socket; empty: none
  std::optional<Endpoint> metrics;  // where OpenMetrics are served; absent: nowhere
  bool operator==(const Service&) const = default;
};

struct DatabaseClient {  // PostgreSQL, by its protocol version 3
  Endpoint server;
  std::string name, user, password;
  int connections = 4;  // per thread
  bool cache = false;   // a page that was read once is kept
  bool operator==(const DatabaseClient&) const = default;
};

inline constexpr std::chrono::seconds kLongestPageDelay{10};

struct PagesConfig {
  Service service;
  std::optional<DatabaseClient> database;  // where pages come from; absent: they are made
  std::chrono::nanoseconds delay{0};       // before each page, as of a slow application
  bool operator==(const PagesConfig&) const = default;
};

// What goes wrong on purpose, in a share of the operations that it is meant for.
struct Fault {
  enum class Operation { bind, search, compare, add, modify, remove, rename, extended };
  enum class Distribution { fixed, uniform, exponential, log_normal };
  enum class Answer { usual, busy, unavailable, drop, hang };  // drop: the connection ends; hang: no answer ever

  std::vector<Operation> operations;  // empty: all
  std::string dn;                     // glob over normalised names: of a bind, a search's base, an entry; empty: all
  double rate = 1;                    // share of them
  std::optional<int> thread;          // only on this one, from 0: a slow worker
  Distribution distribution = Distribution::fixed;
  std::chrono::nanoseconds latency{0};       // before the answer: fixed, the least, the mean, or the median
  std::chrono::nanoseconds latency_high{0};  // uniform: the most; log-normal: the 99th percentile
  Answer answer = Answer::usual;
  bool operator==(const Fault&) const = default;
};

struct Administrator {  // who may write and sees everything
  std::string dn;       // empty: nobody
  std::string password;
  bool operator==(const Administrator&) const = default;
};

struct DirectoryConfig {
  Service service;
  std::string ldif;    // file; or
  unsigned users = 0;  // generated users user000001 …
  std::string ldapi;   // path of a Unix socket to listen on as well; empty: none
  Administrator admin;
  std::string save;          // LDIF file, written at the end
  int connections = 10'000;  // a thread; further ones are refused
  std::vector<Fault> faults;
  bool operator==(const DirectoryConfig&) const = default;
};

// PostgreSQL with one table of pages, in the role's own folder; gone with it.
struct DatabaseConfig {
  Endpoint listen;
  std::string name = "lab", user = "pages", password;  // who may read the table, and add to it
  std::string control;                                 // path of the control socket; empty: none
  bool operator==(const DatabaseConfig&) const = default;
};

// A guest that wants CPU: threads that do nothing but run, for so long at most.
struct GuestConfig {
  int threads = 1;
  std::chrono::nanoseconds duration{std::chrono::seconds{10}};
  std::string control;
  bool operator==(const GuestConfig&) const = default;
};

enum class JunctionType { tcp, ssl, local };
enum class BasicAuthentication { none, http, https, both };  // on which transport a login, basic or by form, is offered
enum class BasicHeader { filter, ignore, supply, gso };      // -b: what the back end sees of Authorization

struct Identity {  // -c
  bool user = false, groups = false, creds = false;
  bool operator==(const Identity&) const = default;
};

struct Junction {
  std::string point;  // mount point, "/app"
  JunctionType type = JunctionType::tcp;
  std::vector<Endpoint> servers;
  Identity identity;
  BasicHeader basic = BasicHeader::filter;
  std::string host_header;      // -v
  bool transparent = false;     // -x: the mount point stays in the path
  bool client_address = false;  // -r: iv-remote-address
  std::string server_ca;        // ssl: PEM file that the server's certificate must chain to; empty: not verified
  std::string ciphers;          // ssl: TLS 1.2 cipher list of the gateway's client side
  std::optional<TlsVersion> tls_max;
  std::string virtual_host;                    // serves this Host, at the root; empty: every host, at the point
  std::string directory;                       // local: the files to serve; empty: built-in pages
  bool case_insensitive = false;               // -i: paths are matched and judged whatever their case
  bool stateful = false;                       // -s: a cookie pins a client to a server
  std::string server_dn;                       // -D: subject of the server's certificate, as RFC 2253 writes it
  std::string client_certificate, client_key;  // -K: PEM files; what the gateway shows the server
  std::optional<Credentials> login;            // -B -U -W: as whom the gateway logs in to the back end
  bool session_cookie = false;                 // -k: the gateway's session cookie goes on
  bool junction_cookie = false;                // -j: links that lack the mount point are found by a cookie
  unsigned soft_limit = 0, hard_limit = 0;     // -l, -L: concurrent requests; 0: none; both or neither
  std::string supply_password = "dummy";       // -b supply: the password beside the user's name
  std::string gso;                             // -b gso: file of lines "user back-end-user back-end-password"
  bool operator==(const Junction&) const = default;
};

struct AccessRule {  // the nearest one to a path replaces what was inherited
  std::string path;
  enum class Who { everybody, authenticated, listed, nobody } allow = Who::authenticated;
  std::vector<std::string> users, groups;  // for `listed`
  std::string permissions = "Tr";          // of those allowed: T traverse (for all), r read and POST, m modify, d delete
  bool operator==(const AccessRule&) const = default;
};

struct ObjectPolicy {  // a protected-object policy: conditions whoever asks; the nearest one to a path replaces what was inherited
  std::string path;
  enum class Protection { none, integrity, privacy } protection = Protection::none;  // both others: HTTPS only
  std::vector<int> days;                                                             // 0 Sunday … 6 Saturday; empty: all
  int from = 0, to = 24 * 60;                                                        // minutes of the day; from > to: over midnight
  bool utc = false;                                                                  // else local time
  std::vector<std::string> clients;                                                  // networks, "10.0.0.0/8"; empty: all
  bool operator==(const ObjectPolicy&) const = default;
};

struct GatewayLogs {  // file names; empty: not written; /dev/null is written to
  std::string request, agent, referer;
  std::uint64_t max_size = 2'000'000;                               // bytes; then renamed with a timestamp; 0: never
  std::chrono::seconds flush{1};                                    // a line waits so long for others at most
  bool total_time = false, backend_time = false, junction = false;  // columns after those of the common log format
  bool operator==(const GatewayLogs&) const = default;
};

// Of a gateway (webseal.md: client limits and back-end connections).
struct Timeouts {
  std::chrono::nanoseconds head = std::chrono::seconds{120};     // from a head's first byte (or the accept) to its end
  std::chrono::nanoseconds fragment = std::chrono::seconds{60};  // between two reads from, or writes to, a client
  std::chrono::nanoseconds idle = std::chrono::seconds{60};      // between two requests
  std::chrono::nanoseconds connect = std::chrono::seconds{30};   // to a server
  std::chrono::nanoseconds backend = std::chrono::seconds{120};  // without any progress of an exchange
  std::chrono::nanoseconds linger = std::chrono::seconds{2};     // for a client to read a last answer
  std::chrono::nanoseconds drain = std::chrono::seconds{30};     // for requests under way at the end
  std::chrono::nanoseconds ping = std::chrono::seconds{300};     // between two looks at a server; 0: none
  bool operator==(const Timeouts&) const = default;
};

struct DirectoryClient {
  std::string url;  // ldap://host:port or ldaps://host:port; empty: everybody is let in
  std::string ca;   // PEM for ldaps and StartTLS
  std::string people = "ou=people,dc=lab";
  std::string groups = "ou=groups,dc=lab";
  int connections = 4;     // per thread
  bool start_tls = false;  // on ldap: nothing is asked before the connection is protected
  bool operator==(const DirectoryClient&) const = default;
};

struct GatewayConfig {
  Service service;
  Software software = Software::lab;  // nginx, haproxy: run with the same junctions
  std::string server_name = "lab-gateway";
  BasicAuthentication basic = BasicAuthentication::both;
  std::string realm = "lab";
  BasicAuthentication forms = BasicAuthentication::none;
  DirectoryClient directory;
  std::vector<Junction> junctions;
  std::vector<AccessRule> access;  // default: with a directory everything wants a login, else everybody
  GatewayLogs logs;
  unsigned session_entries = 4096;
  std::chrono::seconds session_lifetime{3600};
  std::chrono::seconds session_idle{600};
  std::vector<ObjectPolicy> policies;
  std::vector<std::string> blocked_methods = {"TRACE", "PUT", "DELETE", "CONNECT"};
  std::vector<std::string> trusted_proxies;  // networks whose X-Forwarded-* are believed
  std::string pages;                         // folder of pages that replace built-in ones: login.html, 403.html, …; empty: none
  std::uint64_t max_head = 32 * 1024;        // bytes of a request's head
  std::uint64_t max_body = 0;                // bytes of a request's body; 0: any
  std::uint64_t max_kept = 8 * 1024;         // bytes of a request kept over a login
  Timeouts timeouts;
  bool operator==(const GatewayConfig&) const = default;
};

}  // namespace lab
