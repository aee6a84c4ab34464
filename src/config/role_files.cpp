// The files behind `lab directory|pages -c FILE`.
#include "config/config.hpp"
#include "config/parts.hpp"
#include "config/role_file.hpp"
#include "config/service_fields.hpp"
#include "config/words.hpp"

#include <algorithm>

namespace lab::config {

namespace {

constexpr Field<Fault> kFault[] = {
    {"operations",
     [](Cursor at, Fault& into) { into.operations = one_or_more(at, [](Cursor one) { return choice(one, kFaultOperations); }); }},
    {"dn", [](Cursor at, Fault& into) { set(into.dn, filled(at)); }},
    {"rate", [](Cursor at, Fault& into) { set(into.rate, share(at)); }},
    {"thread", [](Cursor at, Fault& into) { set(into.thread, whole<int>(at, 0, kMostThreads)); }},
    {"distribution", [](Cursor at, Fault& into) { set(into.distribution, choice(at, kDistributions)); }},
    {"latency", [](Cursor at, Fault& into) { set(into.latency, duration(at)); }},
    {"latency-high", [](Cursor at, Fault& into) { set(into.latency_high, duration(at)); }},
    {"answer", [](Cursor at, Fault& into) { set(into.answer, choice(at, kFaultAnswers)); }},
};

std::optional<Fault> fault(Cursor at) {
  Fault result;
  const std::size_t before = at.errors.complaints();
  read_map(at, "a fault", kFault, result);
  const bool wants_high = result.distribution == Fault::Distribution::uniform || result.distribution == Fault::Distribution::log_normal;
  if (at.errors.complaints() == before && wants_high != (result.latency_high.count() > 0)) {
    at.refuse(wants_high ? "this distribution needs `latency-high`" : "`latency-high` has no meaning here",
              "uniform: from `latency` to `latency-high`; log-normal: the median and the 99th percentile");
  } else if (wants_high && result.latency_high < result.latency) {
    at.refuse("`latency-high` is below `latency`", "exchange them");
  }
  return result;
}

constexpr Field<Administrator> kAdministrator[] = {
    {"dn", [](Cursor at, Administrator& into) { set(into.dn, filled(at)); }, true},
    {"password", [](Cursor at, Administrator& into) { set(into.password, filled(at)); }},
};

const std::vector<Field<DirectoryConfig>>& directory_fields() {
  static const auto fields = with<DirectoryConfig>(
      service_fields<DirectoryConfig>("ldap", "ldaps"),
      {
          {"ldif", [](Cursor at, DirectoryConfig& into) { set(into.ldif, filled(at)); }},
          {"users", [](Cursor at, DirectoryConfig& into) { set(into.users, whole<unsigned>(at, 0, kMostUsers)); }},
          {"ldapi", [](Cursor at, DirectoryConfig& into) { set(into.ldapi, filled(at)); }},
          {"admin", [](Cursor at, DirectoryConfig& into) { read_map(at, "`admin`", kAdministrator, into.admin); }},
          {"save", [](Cursor at, DirectoryConfig& into) { set(into.save, filled(at)); }},
          {"connections", [](Cursor at, DirectoryConfig& into) { set(into.connections, whole<int>(at, 1, 1'000'000)); }},
          {"faults", [](Cursor at, DirectoryConfig& into) { into.faults = list(at, fault); }},
      });
  return fields;
}

constexpr Field<DatabaseClient> kDatabaseClient[] = {
    {"server", [](Cursor at, DatabaseClient& into) { set(into.server, endpoint(at)); }, true},
    {"name", [](Cursor at, DatabaseClient& into) { set(into.name, filled(at)); }, true},
    {"user", [](Cursor at, DatabaseClient& into) { set(into.user, filled(at)); }, true},
    {"password", [](Cursor at, DatabaseClient& into) { set(into.password, line(at)); }},
    {"connections", [](Cursor at, DatabaseClient& into) { set(into.connections, whole<int>(at, 1, 64)); }},
    {"cache", [](Cursor at, DatabaseClient& into) { set(into.cache, boolean(at)); }},
};

std::optional<std::chrono::nanoseconds> page_delay(Cursor at) {
  const auto value = duration(at, std::chrono::nanoseconds(0));
  return !value || *value <= kLongestPageDelay ? value : at.wants("at most 10s");
}

const std::vector<Field<PagesConfig>>& pages_fields() {
  static const auto fields = with<PagesConfig>(
      service_fields<PagesConfig>("http", "https"),
      {{"database", [](Cursor at, PagesConfig& into) { read_map(at, "`database`", kDatabaseClient, into.database.emplace()); }},
       {"delay", [](Cursor at, PagesConfig& into) { set(into.delay, page_delay(at)); }}});
  return fields;
}

constexpr Field<DatabaseConfig> kDatabaseServer[] = {
    {"listen", [](Cursor at, DatabaseConfig& into) { set(into.listen, endpoint(at)); }, true},
    {"name", [](Cursor at, DatabaseConfig& into) { set(into.name, name(at)); }},
    {"user", [](Cursor at, DatabaseConfig& into) { set(into.user, name(at)); }},
    {"password", [](Cursor at, DatabaseConfig& into) { set(into.password, filled(at)); }, true},
    {"control", [](Cursor at, DatabaseConfig& into) { set(into.control, filled(at)); }},
};

constexpr Field<GuestConfig> kGuest[] = {
    {"threads", [](Cursor at, GuestConfig& into) { set(into.threads, whole<int>(at, 1, kMostThreads)); }},
    {"duration", [](Cursor at, GuestConfig& into) { set(into.duration, duration(at, std::chrono::nanoseconds(1))); }},
    {"control", [](Cursor at, GuestConfig& into) { set(into.control, filled(at)); }},
};

}  // namespace

Result<DirectoryConfig, Errors> parse_directory(std::string_view text, const std::string& path) {
  return parse<DirectoryConfig>(text, path, "a directory's file", directory_fields(), [](Cursor at, const DirectoryConfig& config) {
    if (config.ldapi.empty()) {
      check_service(at, config.service, "ldap", "ldaps");
    }
    if (config.ldif.empty() == (config.users == 0)) {
      at.errors.add(at.value.mark, "a directory has either `ldif` or `users`", "name an LDIF file, or say how many users to make");
    }
  });
}

Result<std::vector<Fault>, Errors> parse_faults(std::string_view text, const std::string& path) {
  Diagnostics errors(text, path);
  std::vector<Fault> faults;
  if (const auto root = parse_document(text, errors)) {
    const Value* listed = root->find("faults");
    faults = list(Cursor{listed == nullptr ? *root : *listed, "faults", errors}, fault);
  }
  Errors found = errors.take();
  return found.empty() ? Result<std::vector<Fault>, Errors>(std::move(faults)) : Result<std::vector<Fault>, Errors>(std::move(found));
}

Result<PagesConfig, Errors> parse_pages(std::string_view text, const std::string& path) {
  return parse<PagesConfig>(text, path, "a page server's file", pages_fields(),
                            [](Cursor at, const PagesConfig& config) { check_service(at, config.service, "http", "https"); });
}

Result<DatabaseConfig, Errors> parse_database(std::string_view text, const std::string& path) {
  return parse<DatabaseConfig>(text, path, "a database's file", kDatabaseServer, [](Cursor, const DatabaseConfig&) {});
}

Result<GuestConfig, Errors> parse_guest(std::string_view text, const std::string& path) {
  return parse<GuestConfig>(text, path, "a guest's file", kGuest, [](Cursor, const GuestConfig&) {});
}

}  // namespace lab::config
