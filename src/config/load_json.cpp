#include "config/config.hpp"
#include "config/json_parts.hpp"

namespace lab::config {

namespace {

json::object tls(const LoadConfig& config) {
  json::object object{{"handshake", word(kHandshakes, config.handshake)}, {"full-each", config.full_each}, {"insecure", config.insecure}};
  put(object, "min", config.tls_min);
  put(object, "max", config.tls_max);
  put(object, "ciphers", config.ciphers);
  put(object, "ciphersuites", config.ciphersuites);
  put(object, "groups", config.groups);
  put(object, "server-name", config.server_name);
  put(object, "cert", config.certificate);
  put(object, "key", config.key);
  put(object, "ca", config.ca);
  return object;
}

json::object login(const LoadConfig& config) {
  json::object object{{"method", word(kLoginMethods, config.method)},
                      {"preemptive", config.preemptive},
                      {"path", config.login_path},
                      {"logout-path", config.logout_path}};
  put(object, "logout-after", config.logout_after);
  return object;
}

json::object step(const LoadStep& step) {
  json::object object{{"path", step.path}, {"weight", step.weight}, {"method", step.method}};
  put(object, "body", step.body);
  return object;
}

json::object expectations(const LoadConfig& config) {
  json::object object{{"pages", config.expect_pages}};
  put(object, "status", config.expect_status, [](int status) { return status; });
  put(object, "bytes", config.expect_bytes);
  put(object, "sha256", config.expect_sha256);
  put(object, "header", config.expect_header);
  put(object, "text", config.expect_text);
  return object;
}

json::object against(const LoadAgainst& other) {
  json::object object{{"url", other.url}, {"slice", written(other.slice)}};
  if (other.gap) {
    object["gap"] = written(*other.gap);
  }
  if (other.login) {
    object["auth"] = word(kLoginModes, *other.login);
  }
  json::object tls;
  if (other.handshake) {
    tls["handshake"] = word(kHandshakes, *other.handshake);
  }
  put(tls, "min", other.tls_min);
  put(tls, "max", other.tls_max);
  put(tls, "ciphers", other.ciphers);
  put(object, "tls", std::move(tls));
  return object;
}

void put_arrivals(json::object& object, const LoadConfig& config) {
  put(object, "rate", config.rate);
  object["poisson"] = config.poisson;
  object["spin"] = config.spin;
  object["first-arrival"] = written(config.first_arrival);
  object["seed"] = config.seed;
  object["think"] = written(config.think);
}

void put_users(json::object& object, const LoadConfig& config) {
  object["auth"] = word(kLoginModes, config.login);
  object["login"] = login(config);
  object["cookies"] = config.cookies;
  put(object, "users", config.users, [](const Credentials& one) { return json::object{{"user", one.user}, {"password", one.password}}; });
  put(object, "generated-users", config.generated_users);
  object["first-user"] = config.first_user;
}

}  // namespace

json::object to_json(const LoadConfig& config) {
  json::object object{{"url", config.url},
                      {"clients", config.clients},
                      {"threads", config.threads},
                      {"warmup", written(config.warmup)},
                      {"duration", written(config.duration)},
                      {"timeout", written(config.timeout)},
                      {"tls", tls(config)},
                      {"close", config.close},
                      {"expect", expectations(config)}};
  put_arrivals(object, config);
  put_users(object, config);
  put(object, "requests", config.requests);
  put(object, "requests-per-connection", config.requests_per_connection);
  put(object, "start-at-ns", config.start_at_ns);
  if (config.against) {
    object["against"] = against(*config.against);
  }
  put(object, "steps", config.steps, step);
  put_texts(object, "headers", config.headers);
  put_texts(object, "sources", config.sources);
  put(object, "hdr", config.hdr);
  put(object, "csv", config.csv);
  put(object, "control", config.control);
  return object;
}

}  // namespace lab::config
