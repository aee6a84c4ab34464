#include "load_options.hpp"

#include "numbers.hpp"

namespace lab::cli {

namespace {

void add_run_options(CLI::App& command, LoadOptions& options) {
  command.add_option("url", options.url, "what to load: http://HOST[:PORT]/PATH or https://…")->option_text("URL");
  command
      .add_option("-c,--clients", options.clients,
                  "clients, each with one connection of its own; without a URL: the file to read (YAML or JSON)")
      ->option_text("CLIENTS");
  command.add_option("--config", options.config, "read everything from FILE (YAML or JSON)")->option_text("FILE");
  command
      .add_option("-d,--duration", options.duration,
                  "how long to measure; with -n: until that many are done, unless given. Requests under way at the end have 5s more, "
                  "or --timeout when that is shorter")
      ->option_text("TIME")
      ->capture_default_str();
  command.add_option("-t,--threads", options.threads, "threads that share the clients")->check(whole(1, 256))->capture_default_str();
  command.add_option("--warmup", options.warmup, "load before the measurement, in no count but its own")
      ->option_text("TIME")
      ->capture_default_str();
  command.add_option("-n,--requests", options.requests, "stop after so many requests")->check(whole(1, kMostCounted))->option_text("COUNT");
  command.add_option("--timeout", options.timeout, "of one request, connecting included")->option_text("TIME")->capture_default_str();
  command.add_option("-H,--header", options.headers, "'Name: value' to send; may be repeated")->option_text("HEADER");
  command.add_option("--step", options.steps, "'WEIGHT [METHOD] PATH': each request is one of the steps, drawn by weight; may be repeated")
      ->option_text("STEP");
}

void add_loop_options(CLI::App& command, LoadOptions& options) {
  CLI::Option* rate = command
                          .add_option("-R,--rate", options.rate,
                                      "open loop: so many requests a second, whatever the answers take; latency counts from when a request "
                                      "was due; -c caps the connections")
                          ->check(CLI::Range(1e-3, 1e7))
                          ->option_text("RATE");
  command.add_flag("--poisson", options.poisson, "with -R: random arrivals instead of equal gaps")->needs(rate);
  command.add_flag(
      "--spin", options.spin,
      "threads look again and again in place of sleeping: they begin requests and notice answers on time, and take a core each");
  command.add_option("--seed", options.seed, "of random arrivals and steps")->check(whole(0, kMostCounted))->option_text("N");
  command.add_option("--think", options.think, "closed loop: pause of a client after each response")
      ->option_text("TIME")
      ->capture_default_str()
      ->excludes(rate);
  CLI::Option* against = command.add_option("--against", options.against, "load the two in turn, in slices, and print the ratio B ÷ A")
                             ->option_text("URL_B")
                             ->excludes(rate);
  command.add_option("--slice", options.slice, "with --against: how long one side is loaded before the other")
      ->option_text("TIME")
      ->capture_default_str()
      ->needs(against);
  command.add_option("--gap", options.gap, "with --against: time to drain after each slice (default: found out beforehand)")
      ->option_text("TIME")
      ->needs(against);
  CLI::Option* find =
      command.add_flag("--find-max", options.find_max, "find the highest rate within --slo; -d is the time of each attempt")
          ->excludes(against);
  command.add_option("--slo", options.slo, "what has to hold, for example 'p99<50ms'; fewer than 0.1% of requests fail in any case")
      ->option_text("LIMIT")
      ->needs(find);
}

void add_connection_options(CLI::App& command, LoadOptions& options) {
  CLI::Option* close = command.add_flag("--close", options.close, "a connection a request");
  command.add_option("--requests-per-connection", options.requests_per_connection, "then a new connection")
      ->check(whole(1, kMostCounted))
      ->option_text("N")
      ->excludes(close);
  command.add_option("--source", options.sources, "local address to connect from; may be repeated, clients take them in turn")
      ->option_text("ADDRESS");
}

void add_tls_options(CLI::App& command, LoadOptions& options) {
  command
      .add_option("--tls", options.handshake,
                  "handshakes: once a client; resume or full: with each connection, which is one a request (or --requests-per-connection)")
      ->check(CLI::IsMember({"once", "resume", "full"}))
      ->capture_default_str();
  command.add_option("--full-each", options.full_each, "with --tls resume: every so many handshakes of a client are full")
      ->check(whole(1, kMostCounted))
      ->option_text("N");
  command.add_option("--tls-min", options.tls_min, "lowest TLS version")->check(CLI::IsMember({"1.2", "1.3"}));
  command.add_option("--tls-max", options.tls_max, "highest TLS version")->check(CLI::IsMember({"1.2", "1.3"}));
  command.add_option("--ciphers", options.ciphers, "TLS 1.2 ciphers, as `openssl ciphers` writes them")->option_text("LIST");
  command.add_option("--ciphersuites", options.ciphersuites, "TLS 1.3 cipher suites")->option_text("LIST");
  command.add_option("--groups", options.groups, "groups for the key exchange, for example X25519:P-256")->option_text("LIST");
  command.add_option("--server-name", options.server_name, "name to send (SNI) and to verify, instead of the URL's host")
      ->option_text("NAME");
  CLI::Option* certificate =
      command.add_option("--cert", options.certificate, "PEM file: a client certificate, then its chain")->option_text("FILE");
  certificate->needs(command.add_option("--key", options.key, "PEM file: its key")->option_text("FILE")->needs(certificate));
  CLI::Option* insecure = command.add_flag("--insecure", options.insecure, "do not verify the server's certificate");
  command.add_option("--cacert", options.ca, "PEM file to verify the server's certificate with")->option_text("FILE")->excludes(insecure);
}

void add_login_options(CLI::App& command, LoadOptions& options) {
  CLI::Option* user = command.add_option("--user", options.user, "log in as this user")->option_text("USER");
  CLI::Option* password = command.add_option("--password-file", options.password_file, "file with the password on its first line")
                              ->option_text("FILE")
                              ->needs(user);
  user->needs(password);
  command.add_option("--users", options.users, "file with user:password, one a line; clients take them in turn")
      ->option_text("FILE")
      ->excludes(user);
  command.add_option("--auth", options.auth, "by a 401 and basic authentication, or by posting a form")
      ->check(CLI::IsMember({"basic", "forms"}));
  command.add_option("--login", options.login, "log in once a client (then by session cookie), or with every page as the next user")
      ->check(CLI::IsMember({"once", "every"}));
  command.add_flag("--preemptive", options.preemptive, "with basic: send the password without waiting for a 401");
  command.add_option("--login-path", options.login_path, "where the form is posted (default: /pkmslogin.form)")->option_text("PATH");
  command.add_option("--logout-after", options.logout_after, "log out after so many pages, and in again")
      ->check(whole(1, kMostCounted))
      ->option_text("N");
  command.add_option("--logout-path", options.logout_path, "what is requested to log out (default: /pkmslogout)")->option_text("PATH");
  command.add_flag("--cookies", options.cookies, "keep cookies, each client its own (with a login they are kept anyway)");
}

void add_check_options(CLI::App& command, LoadOptions& options) {
  command.add_flag("--expect-pages", options.expect_pages, "check length and pattern of `lab pages` bodies, SHA-256 of one in a thousand");
  command.add_option("--expect-status", options.expect_status, "status that responses must have; may be repeated (default: 2xx and 3xx)")
      ->check(whole(200, 599))
      ->option_text("CODE");
  command.add_option("--expect-bytes", options.expect_bytes, "length that every body must have")
      ->check(whole(0, kMostCounted))
      ->option_text("N");
  command.add_option("--expect-sha256", options.expect_sha256, "SHA-256 that every body must have")->option_text("HEX");
  command.add_option("--expect-header", options.expect_header, "'Name' or 'Name: value' that every response must have")
      ->option_text("HEADER");
  command.add_option("--expect-text", options.expect_text, "what every body must contain")->option_text("TEXT");
  command
      .add_option("--fail-if", options.fail_if,
                  "exit 3 when so: p50, p90, p99, p99.9, max, mean (latency with -R, else service time), errors or rate, for example "
                  "'p99>50ms'")
      ->option_text("THRESHOLD");
}

void add_output_options(CLI::App& command, LoadOptions& options) {
  command.add_option("--hdr", options.hdr, "write latency (with -R) or service times to FILE as an HdrHistogram log, a line a second")
      ->option_text("FILE");
  command.add_option("--csv", options.csv, "write a line a second to FILE: rate, errors, percentiles, the driver's CPU")
      ->option_text("FILE");
  command.add_flag("--json", options.json, "the result as JSON");
  command.add_option("--control", options.control, "control socket to make")->option_text("SOCKET");
  command.add_option("--ready-fd", options.ready_fd, "descriptor to tell when all is set up: one JSON line")->option_text("N");
}

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  add_run_options(command, options);
  add_loop_options(command, options);
  add_connection_options(command, options);
  add_tls_options(command, options);
  add_login_options(command, options);
  add_check_options(command, options);
  add_output_options(command, options);
}

}  // namespace lab::cli
