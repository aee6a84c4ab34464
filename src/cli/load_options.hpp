// `lab load`'s command line, as the value that the driver takes.
#pragma once

#include "command.hpp"
#include "lab/roles.hpp"
#include "roles/load/outcome.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::cli {

struct LoadOptions {
  std::string url;
  std::string clients = "1";  // -c; without a URL the file to read, as with the other roles
  std::string config;
  std::string duration = "10s", warmup = "0s", think = "0s", timeout = "30s";
  std::optional<std::uint64_t> requests, requests_per_connection, full_each, logout_after, seed;
  std::optional<double> rate;
  bool poisson = false;
  bool spin = false;
  int threads = 1;
  std::string handshake = "once", tls_min, tls_max, ciphers, ciphersuites, groups, server_name, certificate, key, ca;
  bool insecure = false, close = false, cookies = false, expect_pages = false, json = false;
  std::string user, password_file, users, login, auth, login_path, logout_path;
  bool preemptive = false;
  std::vector<std::string> headers, sources, steps, fail_if, slo;
  std::vector<int> expect_status;
  std::optional<std::uint64_t> expect_bytes;
  std::string expect_sha256, expect_header, expect_text, hdr, csv, control;
  std::string against, slice = "100ms", gap;
  bool find_max = false;
  int ready_fd = -1;
  bool duration_given = false;
};

void add_load_options(CLI::App& command, LoadOptions& options);

// The file to read instead of options; empty: there is none.
std::string config_file(const LoadOptions& options);
// What stands in the file may not be given beside it.
Result<void> refuse_beside_file(const CLI::App& command, const LoadOptions& options);
Result<LoadConfig> to_config(const LoadOptions& options);
Result<std::vector<load::Threshold>> to_thresholds(const std::vector<std::string>& texts);

}  // namespace lab::cli
