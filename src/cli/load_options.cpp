#include "load_options.hpp"

#include "config/config.hpp"
#include "lab/units.hpp"

#include <charconv>

namespace lab::cli {

namespace {

constexpr int kMostClients = 1'000'000;  // as in a file

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

struct DurationOption {
  const char* name;
  const std::string& text;
  std::chrono::nanoseconds& into;
};

Result<void> read_durations(const std::vector<DurationOption>& wanted) {
  for (const DurationOption& one : wanted) {
    const auto duration = parse_duration(one.text);
    if (!duration) {
      return usage("\"" + one.text + "\" is no duration for " + one.name, "write for example 30s, 500ms or 2m");
    }
    one.into = *duration;
  }
  return {};
}

Result<std::string> first_line(const std::string& path) {
  Result<std::string> text = config::read_file(path);
  if (text) {
    text->resize(std::min(text->find_first_of("\r\n"), text->size()));
  }
  return text;
}

// "user:password", one a line; empty lines are passed over.
Result<std::vector<Credentials>> read_users(const std::string& path) {
  const Result<std::string> text = config::read_file(path);
  if (!text) {
    return text.error();
  }
  std::vector<Credentials> users;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    std::string line = text->substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    const auto colon = line.find(':');
    if (line.empty()) {
      continue;
    }
    if (colon == std::string::npos || colon == 0) {
      return Error{
          "no user in \"" + line + "\"", path + ":" + std::to_string(number), "write user:password, one a line", {}, Failure::usage};
    }
    users.push_back({line.substr(0, colon), line.substr(colon + 1)});
  }
  return users;
}

Result<void> read_login(const LoadOptions& options, LoadConfig& config) {
  if (!options.users.empty()) {
    Result<std::vector<Credentials>> users = read_users(options.users);
    if (!users) {
      return users.error();
    }
    config.users = std::move(*users);
  } else if (!options.user.empty()) {
    const Result<std::string> password = first_line(options.password_file);
    if (!password) {
      return password.error();
    }
    config.users = {{options.user, *password}};
  }
  if (!config.users.empty()) {
    config.login = options.login == "every" ? LoginMode::every : LoginMode::once;
  } else if (!options.login.empty()) {
    return usage("a login without users", "give --user and --password-file, or --users");
  }
  return {};
}

std::optional<TlsVersion> to_version(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text == "1.2" ? TlsVersion::tls1_2 : TlsVersion::tls1_3);
}

void add_run_options(CLI::App& command, LoadOptions& options) {
  command.add_option("url", options.url, "what to load: http://HOST[:PORT]/PATH or https://…")->option_text("URL");
  command
      .add_option("-c,--clients", options.clients,
                  "clients, each with one connection of its own; without a URL: the file to read (YAML or JSON)")
      ->option_text("CLIENTS");
  command.add_option("--config", options.config, "read everything from FILE (YAML or JSON)")->option_text("FILE");
  command.add_option("-d,--duration", options.duration, "how long to measure; with -n: until that many are done, unless given")
      ->option_text("TIME")
      ->capture_default_str();
  command.add_option("-t,--threads", options.threads, "threads that share the clients")->check(CLI::Range(1, 256))->capture_default_str();
  command.add_option("--warmup", options.warmup, "load before the measurement, in no count but its own")
      ->option_text("TIME")
      ->capture_default_str();
  command.add_option("-n,--requests", options.requests, "stop after so many requests")->option_text("COUNT");
  command.add_option("--think", options.think, "pause of a client after each response")->option_text("TIME")->capture_default_str();
  command.add_option("--timeout", options.timeout, "of one request, connecting included")->option_text("TIME")->capture_default_str();
  command.add_option("-H,--header", options.headers, "'Name: value' to send; may be repeated")->option_text("HEADER");
  command.add_flag("--close", options.close, "a connection a request");
}

void add_tls_options(CLI::App& command, LoadOptions& options) {
  command
      .add_option("--tls", options.handshake, "handshakes: once a client; resume or full: with each request, on a connection of its own")
      ->check(CLI::IsMember({"once", "resume", "full"}))
      ->capture_default_str();
  command.add_option("--tls-min", options.tls_min, "lowest TLS version")->check(CLI::IsMember({"1.2", "1.3"}));
  command.add_option("--tls-max", options.tls_max, "highest TLS version")->check(CLI::IsMember({"1.2", "1.3"}));
  command.add_option("--ciphers", options.ciphers, "TLS 1.2 ciphers, as `openssl ciphers` writes them")->option_text("LIST");
  CLI::Option* insecure = command.add_flag("--insecure", options.insecure, "do not verify the server's certificate");
  command.add_option("--cacert", options.ca, "PEM file to verify the server's certificate with")->option_text("FILE")->excludes(insecure);
}

void add_login_options(CLI::App& command, LoadOptions& options) {
  CLI::Option* user = command.add_option("--user", options.user, "basic authentication as this user")->option_text("USER");
  CLI::Option* password = command.add_option("--password-file", options.password_file, "file with the password on its first line")
                              ->option_text("FILE")
                              ->needs(user);
  user->needs(password);
  command.add_option("--users", options.users, "file with user:password, one a line; clients take them in turn")
      ->option_text("FILE")
      ->excludes(user);
  command.add_option("--login", options.login, "log in once a client (then by session cookie), or with every page as the next user")
      ->check(CLI::IsMember({"once", "every"}));
}

void add_check_options(CLI::App& command, LoadOptions& options) {
  command.add_flag("--expect-pages", options.expect_pages, "check length and pattern of `lab pages` bodies, SHA-256 of one in a thousand");
  command.add_option("--expect-bytes", options.expect_bytes, "length that every body must have")->option_text("N");
  command.add_option("--expect-sha256", options.expect_sha256, "SHA-256 that every body must have")->option_text("HEX");
  command
      .add_option("--fail-if", options.fail_if,
                  "exit 3 when so: p50, p90, p99, p99.9, max, mean (service time), errors or rate, for example 'p99>50ms'")
      ->option_text("THRESHOLD");
  command.add_option("--hdr", options.hdr, "write service times to FILE as an HdrHistogram log")->option_text("FILE");
  command.add_flag("--json", options.json, "the result as JSON");
  command.add_option("--control", options.control, "control socket to make")->option_text("SOCKET");
  command.add_option("--ready-fd", options.ready_fd, "descriptor to tell when all is set up: one JSON line")->option_text("N");
}

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  add_run_options(command, options);
  add_tls_options(command, options);
  add_login_options(command, options);
  add_check_options(command, options);
}

std::string config_file(const LoadOptions& options) {
  if (!options.config.empty() || !options.url.empty()) {
    return options.config;
  }
  const bool number = options.clients.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::string() : options.clients;  // `lab load -c 8` is a URL forgotten, not a file named 8
}

Result<void> refuse_beside_file(const CLI::App& command, const LoadOptions& options) {
  const bool file_by_c = options.config.empty();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool of_this_call = name == "--config" || name == "--fail-if" || name == "--json" || name == "--ready-fd";
    if (option->count() > 0 && !of_this_call && !(file_by_c && name == "--clients")) {
      return usage(name + " beside a file to read everything from", "write it into " + config_file(options) + ", or give options only");
    }
  }
  return {};
}

Result<LoadConfig> to_config(const LoadOptions& options) {
  LoadConfig config;
  if (options.url.empty()) {
    return usage("nothing to load", "give a URL: lab load http://127.0.0.1:9080/page/5.8KB -c 8 -d 10s");
  }
  config.url = options.url;
  const char* const end = options.clients.data() + options.clients.size();
  const auto [stop, bad] = std::from_chars(options.clients.data(), end, config.clients);
  if (bad != std::errc{} || stop != end || config.clients < 1 || config.clients > kMostClients) {
    return usage("\"" + options.clients + "\" is no number of clients", "give for example -c 8; at most " + std::to_string(kMostClients));
  }
  if (const Result<void> read = read_durations({{"--duration", options.duration, config.duration},
                                                {"--warmup", options.warmup, config.warmup},
                                                {"--think", options.think, config.think},
                                                {"--timeout", options.timeout, config.timeout}});
      !read) {
    return read.error();
  }
  if (options.requests && !options.duration_given) {
    config.duration = std::chrono::hours{24};
  }
  if (const Result<void> read = read_login(options, config); !read) {
    return read.error();
  }
  config.requests = options.requests;
  config.threads = options.threads;
  config.handshake = options.handshake == "full"     ? HandshakeMode::full
                     : options.handshake == "resume" ? HandshakeMode::resume
                                                     : HandshakeMode::once;
  config.tls_min = to_version(options.tls_min);
  config.tls_max = to_version(options.tls_max);
  config.ciphers = options.ciphers;
  config.insecure = options.insecure;
  config.ca = options.ca;
  config.close = options.close;
  config.headers = options.headers;
  config.expect_pages = options.expect_pages;
  config.expect_bytes = options.expect_bytes;
  config.expect_sha256 = options.expect_sha256;
  config.hdr = options.hdr;
  config.control = options.control;
  return config;
}

Result<std::vector<load::Threshold>> to_thresholds(const LoadOptions& options) {
  std::vector<load::Threshold> thresholds;
  for (const std::string& text : options.fail_if) {
    Result<load::Threshold> threshold = load::parse_threshold(text);
    if (!threshold) {
      return threshold.error();
    }
    thresholds.push_back(std::move(*threshold));
  }
  return thresholds;
}

}  // namespace lab::cli
