#include "roles/load/target.hpp"

#include "http/characters.hpp"
#include "http/message.hpp"

#include <algorithm>

namespace lab::load {

namespace {

constexpr int kMostSlices = 1'000'000;
constexpr int kFewClients = 256;  // whose TLS buffers may stay

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

bool reconnects(const LoadConfig& config) {
  return config.close || config.requests_per_connection || config.handshake != HandshakeMode::once;
}

Result<void> check_connections(const LoadConfig& config, const Url& url) {
  if (config.close && config.requests_per_connection) {
    return usage("a connection a request, and one for several", "give --close or --requests-per-connection");
  }
  if (url.tls && config.requests_per_connection && config.handshake == HandshakeMode::once) {
    return usage("new connections need new handshakes, but one a client is asked for", "add --tls full or --tls resume");
  }
  if (config.full_each > 0 && config.handshake != HandshakeMode::resume) {
    return usage("only of resumed handshakes every so many can be full", "add --tls resume");
  }
  if (config.certificate.empty() != config.key.empty()) {
    return usage("a client certificate and its key come together", "give --cert and --key");
  }
  return {};
}

Result<void> check_login(const LoadConfig& config) {
  const bool users = !config.users.empty() || config.generated_users.value_or(0) > 0;
  if (config.login != LoginMode::none && !users) {
    return usage("a login without users", "give --user and --password-file, or --users");
  }
  if (config.login == LoginMode::none && (config.preemptive || config.logout_after)) {
    return usage("no login to send credentials for or to end", "give --user and --password-file, or --users");
  }
  if (config.preemptive && config.method == LoginMethod::forms) {
    return usage("a form is posted, its credentials are not sent ahead", "leave --preemptive out");
  }
  const bool own = std::any_of(config.headers.begin(), config.headers.end(), [](const std::string& header) {
    return http::equals_ignore_case(std::string_view(header).substr(0, header.find(':')), "Authorization");
  });
  if (own && config.login != LoginMode::none) {
    return usage("users log in, but an Authorization header is given as well", "leave one of them out");
  }
  return {};
}

Result<void> check_arrivals(const LoadConfig& config) {
  if (config.clients < 1 || config.threads < 1) {
    return usage("no clients or no threads", "give at least one of each");
  }
  if (config.duration.count() <= 0 || config.timeout.count() <= 0 || config.requests.value_or(1) == 0) {
    return usage("a load of no time or no requests", "give a duration, a time-out and a number of requests above 0");
  }
  if (config.poisson && !config.rate) {
    return usage("Poisson arrivals need a rate", "add -R, for example -R 1000");
  }
  if (config.rate && config.think.count() > 0) {
    return usage("a rate and a time to think exclude each other: with a rate the schedule says when requests begin",
                 "leave --think or -R out");
  }
  if (config.against && (config.rate || config.requests)) {
    return usage("a pair is loaded in slices by a closed loop, for a time", "leave -R and -n out");
  }
  if (config.against && config.duration / config.against->slice > kMostSlices) {
    return usage("more slices than " + std::to_string(kMostSlices), "make them longer with --slice, or measure a shorter time");
  }
  if (config.against && config.start_at_ns && !config.against->gap) {
    return usage("a pair that starts at a given instant needs its gap: finding it out would take time", "give `gap` in `against`");
  }
  return {};
}

Result<void> check_step(const LoadStep& step) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (!step.path.starts_with('/') || !std::all_of(step.path.begin(), step.path.end(), plain)) {
    return usage("\"" + step.path + "\" is no path of a step", "begin it with / and write blanks and bytes beyond ASCII as %XX");
  }
  if (step.method.empty() || !std::all_of(step.method.begin(), step.method.end(), http::is_token_char) || step.method == "CONNECT") {
    return usage("\"" + step.method + "\" is no method of a step", "write GET, POST or another one in capitals");
  }
  return {};
}

// A request that will be answered 401 is not the connection's last.
bool challenged(const LoadConfig& config) {
  return config.login != LoginMode::none && config.method == LoginMethod::basic && !config.preemptive;
}

Result<std::vector<Step>> make_steps(const LoadConfig& config, const Url& url) {
  std::vector<LoadStep> wanted = config.steps;
  if (wanted.empty()) {
    wanted.push_back({url.target});
  }
  double all = 0;
  for (const LoadStep& step : wanted) {
    all += step.weight;
  }
  std::vector<Step> steps;
  double before = 0;
  for (const LoadStep& step : wanted) {
    if (const Result<void> checked = check_step(step); !checked) {
      return checked.error();
    }
    Result<Expectation> expectation = make_expectation(config, step.path.substr(0, step.path.find('?')));
    if (!expectation) {
      return expectation.error();
    }
    before += step.weight;
    Step made{step.method, step.path, step.body, std::move(*expectation), before / all, {}, {}};
    RequestParts parts{.method = made.method, .target = made.target, .body = made.body};
    write_request(made.keep, url, config.headers, parts);
    parts.close = !challenged(config);
    write_request(made.last, url, config.headers, parts);
    steps.push_back(std::move(made));
  }
  return steps;
}

Result<std::vector<net::Address>> make_sources(const LoadConfig& config) {
  std::vector<net::Address> sources;
  for (const std::string& source : config.sources) {
    Result<net::Address> address = net::Address::resolve(source, 0);
    if (!address) {
      return address.error();
    }
    sources.push_back(*address);
  }
  return sources;
}

Result<void> check(const LoadConfig& config, const Url& url) {
  for (const Result<void>& checked : {check_arrivals(config), check_connections(config, url), check_login(config)}) {
    if (!checked) {
      return checked;
    }
  }
  for (const std::string& header : config.headers) {
    if (Result<void> checked = check_header(header); !checked) {
      return checked;
    }
  }
  return {};
}

}  // namespace

const Step& Target::draw(double number) const {
  std::size_t i = 0;
  while (i + 1 < steps.size() && number > steps[i].up_to) {
    ++i;
  }
  return steps[i];
}

Result<Target> make_target(const LoadConfig& config) {
  Result<Url> url = parse_url(config.url);
  if (!url) {
    return url.error();
  }
  if (const Result<void> checked = check(config, *url); !checked) {
    return checked.error();
  }
  Result<std::vector<Step>> steps = make_steps(config, *url);
  if (!steps) {
    return steps.error();
  }
  Result<net::Address> address = net::Address::resolve(url->host, url->port);
  if (!address) {
    return address.error();
  }
  Result<std::vector<net::Address>> sources = make_sources(config);
  if (!sources) {
    return sources.error();
  }
  Target target{config, std::move(*url), *address, std::move(*sources), std::move(*steps), Users(config)};
  target.per_connection = config.requests_per_connection.value_or(reconnects(config) ? 1 : 0);
  target.cookies =
      config.cookies || config.login == LoginMode::once || (config.login == LoginMode::every && config.method == LoginMethod::forms);
  return target;
}

LoadConfig other_side(const LoadConfig& config) {
  LoadConfig other = config;
  const LoadAgainst& own = *config.against;
  other.url = own.url;
  other.login = own.login.value_or(config.login);
  other.handshake = own.handshake.value_or(config.handshake);
  other.tls_min = own.tls_min ? own.tls_min : config.tls_min;
  other.tls_max = own.tls_max ? own.tls_max : config.tls_max;
  other.ciphers = own.ciphers.value_or(config.ciphers);
  return other;
}

Result<net::TlsContext> make_context(const Target& target) {
  if (!target.url.tls) {
    return net::TlsContext{};
  }
  const LoadConfig& config = target.config;
  net::TlsClient settings{config.ca, !config.insecure, config.tls_min, config.tls_max, config.ciphers};
  settings.ciphersuites = config.ciphersuites;
  settings.groups = config.groups;
  settings.certificate = config.certificate;
  settings.key = config.key;
  settings.keep_buffers = config.clients <= kFewClients;
  return net::make_client_context(settings);
}

}  // namespace lab::load
