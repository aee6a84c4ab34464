// What the files of all roles that serve have in common: listeners, certificate, threads, sockets.
#pragma once

#include "config/document.hpp"
#include "config/parts.hpp"
#include "config/role_file.hpp"
#include "config/words.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace lab::config {

inline constexpr Field<TlsServer> kTlsServer[] = {
    {"cert", [](Cursor at, TlsServer& into) { set(into.certificate, filled(at)); }, true},
    {"key", [](Cursor at, TlsServer& into) { set(into.key, filled(at)); }, true},
    {"min", [](Cursor at, TlsServer& into) { set(into.min, choice(at, kTlsVersions)); }},
    {"max", [](Cursor at, TlsServer& into) { set(into.max, choice(at, kTlsVersions)); }},
    {"ciphers", [](Cursor at, TlsServer& into) { set(into.ciphers, filled(at)); }},
};

inline void read_tls_server(Cursor at, TlsServer& into) {
  read_map(at, "`tls`", kTlsServer, into);
  if (into.min > into.max) {
    at.refuse("`min` is above `max`", "exchange them");
  }
}

// The keys of every role that serves, with its own words for plain and TLS listeners.
template <class Config>
std::vector<Field<Config>> service_fields(std::string_view plain, std::string_view tls) {
  return {
      {plain, [](Cursor at, Config& into) { into.service.plain = one_or_more(at, endpoint); }},
      {tls, [](Cursor at, Config& into) { into.service.tls = one_or_more(at, endpoint); }},
      {"tls", [](Cursor at, Config& into) { read_tls_server(at, into.service.certificate); }},
      {"threads", [](Cursor at, Config& into) { set(into.service.threads, whole<int>(at, 1, kMostThreads)); }},
      {"control", [](Cursor at, Config& into) { set(into.service.control, filled(at)); }},
      {"metrics", [](Cursor at, Config& into) { into.service.metrics = endpoint(at); }},
  };
}

template <class Config>
std::vector<Field<Config>> with(std::vector<Field<Config>> fields, std::initializer_list<Field<Config>> more) {
  fields.insert(fields.end(), more);
  return fields;
}

inline void check_service(Cursor at, const Service& service, std::string_view plain, std::string_view tls) {
  if (service.plain.empty() && service.tls.empty()) {
    at.errors.add(at.value.mark, "no listener", "add `" + std::string(plain) + ": 127.0.0.1:PORT` or `" + std::string(tls) + "`");
  }
  if (!service.tls.empty() && service.certificate.certificate.empty()) {
    at.errors.add(at.value.entry(tls)->mark, "`" + std::string(tls) + "` without a certificate", "add `tls: {cert: FILE, key: FILE}`",
                  tls.size());
  }
}

}  // namespace lab::config
