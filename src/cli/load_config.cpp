// From the command line's words to the driver's configuration.
#include "load_options.hpp"

#include "config/config.hpp"
#include "lab/units.hpp"

#include <charconv>
#include <iterator>
#include <sstream>

namespace lab::cli {

namespace {

constexpr int kMostClients = 1'000'000;  // as in a file

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

Result<std::chrono::nanoseconds> duration(const char* name, const std::string& text, bool may_be_nothing) {
  const auto duration = parse_duration(text);
  if (!duration) {
    return usage("\"" + text + "\" is no duration for " + name, "write for example 30s, 500ms or 2m");
  }
  if (duration->count() == 0 && !may_be_nothing) {
    return usage(std::string(name) + " of no time at all", "write for example 30s, 500ms or 2m");
  }
  return *duration;
}

struct DurationOption {
  const char* name;
  const std::string& text;
  std::chrono::nanoseconds& into;
  bool may_be_nothing = true;
};

Result<void> read_durations(const std::vector<DurationOption>& wanted) {
  for (const DurationOption& one : wanted) {
    const auto read = duration(one.name, one.text, one.may_be_nothing);
    if (!read) {
      return read.error();
    }
    one.into = *read;
  }
  return {};
}

Result<void> read_times(const LoadOptions& options, LoadConfig& config) {
  config.requests = options.requests;
  const Result<void> read = read_durations({{"--duration", options.duration, config.duration, false},
                                            {"--warmup", options.warmup, config.warmup},
                                            {"--think", options.think, config.think},
                                            {"--timeout", options.timeout, config.timeout, false}});
  if (options.requests && !options.duration_given) {
    config.duration = std::chrono::hours{24};
  }
  return read;
}

Result<void> read_clients(const LoadOptions& options, LoadConfig& config) {
  config.threads = options.threads;
  const char* const end = options.clients.data() + options.clients.size();
  const auto [stop, bad] = std::from_chars(options.clients.data(), end, config.clients);
  if (bad != std::errc{} || stop != end || config.clients < 1 || config.clients > kMostClients) {
    return usage("\"" + options.clients + "\" is no number of clients", "give for example -c 8; at most " + std::to_string(kMostClients));
  }
  return {};
}

Result<void> read_against(const LoadOptions& options, LoadConfig& config) {
  if (options.against.empty()) {
    return {};
  }
  LoadAgainst& other = config.against.emplace();
  other.url = options.against;
  if (!options.gap.empty()) {
    other.gap.emplace();
    if (const Result<void> read = read_durations({{"--gap", options.gap, *other.gap}}); !read) {
      return read;
    }
  }
  return read_durations({{"--slice", options.slice, other.slice, false}});
}

// 'WEIGHT [METHOD] PATH'
Result<void> read_steps(const LoadOptions& options, LoadConfig& config) {
  constexpr unsigned kMostWeight = 1'000'000;
  for (const std::string& text : options.steps) {
    std::istringstream words(text);
    std::vector<std::string> parts{std::istream_iterator<std::string>(words), {}};
    LoadStep step;
    const std::string& weight = parts.empty() ? text : parts.front();
    const auto [end, bad] = std::from_chars(weight.data(), weight.data() + weight.size(), step.weight);
    if (parts.size() < 2 || parts.size() > 3 || bad != std::errc{} || end != weight.data() + weight.size() || step.weight < 1 ||
        step.weight > kMostWeight) {
      return usage("\"" + text + "\" is no step", "write 'WEIGHT [METHOD] PATH', for example '3 /page/100B' or '1 POST /echo'");
    }
    step.path = parts.back();
    step.method = parts.size() == 3 ? parts[1] : "GET";
    config.steps.push_back(std::move(step));
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
  } else if (!options.users.empty()) {
    return usage("no users in " + options.users, "write user:password, one a line");
  } else if (!options.login.empty() || !options.auth.empty()) {
    return usage("a login without users", "give --user and --password-file, or --users");
  }
  config.method = options.auth == "forms" ? LoginMethod::forms : LoginMethod::basic;
  config.preemptive = options.preemptive;
  config.login_path = options.login_path.empty() ? config.login_path : options.login_path;
  config.logout_path = options.logout_path.empty() ? config.logout_path : options.logout_path;
  config.logout_after = options.logout_after;
  config.cookies = options.cookies;
  return {};
}

std::optional<TlsVersion> to_version(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text == "1.2" ? TlsVersion::tls1_2 : TlsVersion::tls1_3);
}

void set_transport(const LoadOptions& options, LoadConfig& config) {
  config.handshake = options.handshake == "full"     ? HandshakeMode::full
                     : options.handshake == "resume" ? HandshakeMode::resume
                                                     : HandshakeMode::once;
  config.full_each = options.full_each.value_or(0);
  config.tls_min = to_version(options.tls_min);
  config.tls_max = to_version(options.tls_max);
  config.ciphers = options.ciphers;
  config.ciphersuites = options.ciphersuites;
  config.groups = options.groups;
  config.server_name = options.server_name;
  config.certificate = options.certificate;
  config.key = options.key;
  config.insecure = options.insecure;
  config.ca = options.ca;
  config.close = options.close;
  config.requests_per_connection = options.requests_per_connection;
  config.sources = options.sources;
}

}  // namespace

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
    const bool of_this_call =
        name == "--config" || name == "--fail-if" || name == "--find-max" || name == "--slo" || name == "--json" || name == "--ready-fd";
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
  if (options.handshake != "once" && options.url.starts_with("http://") && !options.against.starts_with("https://")) {
    return usage("--tls " + options.handshake + ", but " + options.url + " is not https", "use --close for a connection a request");
  }
  for (const auto part : {read_clients, read_times, read_against, read_steps, read_login}) {
    if (const Result<void> read = part(options, config); !read) {
      return read.error();
    }
  }
  set_transport(options, config);
  config.rate = options.rate;
  config.poisson = options.poisson;
  config.spin = options.spin;
  config.seed = options.seed.value_or(config.seed);
  config.headers = options.headers;
  config.expect_pages = options.expect_pages;
  config.expect_status = options.expect_status;
  config.expect_bytes = options.expect_bytes;
  config.expect_sha256 = options.expect_sha256;
  config.expect_header = options.expect_header;
  config.expect_text = options.expect_text;
  config.hdr = options.hdr;
  config.csv = options.csv;
  config.control = options.control;
  return config;
}

Result<std::vector<load::Threshold>> to_thresholds(const std::vector<std::string>& texts) {
  std::vector<load::Threshold> thresholds;
  for (const std::string& text : texts) {
    Result<load::Threshold> threshold = load::parse_threshold(text);
    if (!threshold) {
      return threshold.error();
    }
    thresholds.push_back(std::move(*threshold));
  }
  return thresholds;
}

}  // namespace lab::cli
