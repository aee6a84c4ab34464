// HAProxy as a gateway: Configuration Manual and Management Guide (show stat) of version 2.6.
#include "roles/peers/peer.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lab::peers {

namespace {

// One word in strong quotes, in which nothing has a meaning.
Result<std::string> quoted(const std::string& text) {
  if (text.find_first_of("'\n\r") != std::string::npos) {
    return Error{"HAProxy has no way to write " + text, {}, "use a path without quotes and line ends", {}};
  }
  return "'" + text + "'";
}

const char* version(TlsVersion tls) { return tls == TlsVersion::tls1_2 ? "TLSv1.2" : "TLSv1.3"; }

std::string written(const Endpoint& endpoint) { return endpoint.host + ":" + std::to_string(endpoint.port); }

Result<std::string> text_of(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    return Error{"cannot read " + file, {}, {}, {}};
  }
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

class Writer {
 public:
  explicit Writer(const GatewayConfig& config) : config_(config) {}

  Result<std::string> write() {
    global();
    frontend();
    for (std::size_t i = 0; i < config_.junctions.size(); ++i) {
      backend(i);
    }
    text_ << "backend nothing\n  http-request deny deny_status 404\n";
    return failed_ ? Result<std::string>(*failed_) : text_.str();
  }

 private:
  std::string quote(const std::string& word) {
    auto result = quoted(word);
    if (!result) {
      failed_ = failed_ ? failed_ : result.error();
      return {};
    }
    return *result;
  }

  void global() {
    text_ << "# Written by lab from the gateway's junctions.\nglobal\n  nbthread " << config_.service.threads << "\n  maxconn 4096\n"
          << "  stats socket unix@" << kStatusSocket << " mode 600 level operator\n";
    if (!config_.logs.request.empty()) {
      text_ << "  log stdout len 4096 format raw local0\n";
    }
    text_ << "defaults\n  mode http\n  timeout connect 30s\n  timeout client 600s\n  timeout server 120s\n  option http-keep-alive\n"
          << "  retries 1\n"
          << (config_.logs.request.empty() ? "" : "  log global\n");
  }

  // One log line has what our three files have: request, user agent and referer.
  void frontend() {
    text_ << "frontend gateway\n";
    for (const Endpoint& endpoint : config_.service.plain) {
      text_ << "  bind " << written(endpoint) << "\n";
    }
    const TlsServer& tls = config_.service.certificate;
    for (const Endpoint& endpoint : config_.service.tls) {
      text_ << "  bind " << written(endpoint) << " ssl crt both.pem ssl-min-ver " << version(tls.min) << " ssl-max-ver " << version(tls.max)
            << (tls.ciphers.empty() ? "" : " ciphers " + quote(tls.ciphers)) << "\n";
    }
    if (!config_.logs.request.empty()) {
      text_ << "  capture request header User-Agent len 256\n  capture request header Referer len 256\n"
            << "  log-format '%ci - - [%T] \"%HM %HU %HV\" %ST %B \"%[capture.req.hdr(0)]\" \"%[capture.req.hdr(1)]\"'\n";
    }
    text_ << "  http-request del-header iv- -m beg\n  http-request del-header iv_ -m beg\n";
    for (const std::size_t i : longest_first()) {
      const std::string& point = config_.junctions[i].point;
      text_ << "  use_backend junction" << i
            << (point == "/" ? "" : " if { path -m str " + quote(point) + " } || { path -m beg " + quote(point + "/") + " }") << "\n";
    }
    text_ << "  default_backend nothing\n";
  }

  std::vector<std::size_t> longest_first() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < config_.junctions.size(); ++i) {
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return config_.junctions[a].point.size() > config_.junctions[b].point.size();
    });
    return order;
  }

  void backend(std::size_t number) {
    const Junction& junction = config_.junctions[number];
    text_ << "backend junction" << number << "\n  balance leastconn\n  http-reuse always\n";
    if (!junction.transparent && junction.point != "/") {  // the mount point itself is the back end's root
      text_ << "  http-request set-path / if { path -m str " << quote(junction.point) << " }\n  http-request set-path %[path,bytes("
            << junction.point.size() << ")] if { path -m beg " << quote(junction.point + "/") << " }\n";
    }
    if (!junction.host_header.empty()) {
      text_ << "  http-request set-header Host " << quote(junction.host_header) << "\n";
    }
    if (junction.client_address) {
      text_ << "  http-request set-header iv-remote-address %[src]\n";
    }
    for (std::size_t i = 0; i < junction.servers.size(); ++i) {
      text_ << "  server s" << i << " " << written(junction.servers[i]) << (junction.type == JunctionType::ssl ? tls(junction) : "")
            << "\n";
    }
  }

  std::string tls(const Junction& junction) {
    std::string text = " ssl ssl-min-ver TLSv1.2 ssl-max-ver " + std::string(version(junction.tls_max.value_or(TlsVersion::tls1_3)));
    text += junction.server_ca.empty() ? " verify none" : " verify required ca-file " + quote(junction.server_ca);
    return text + (junction.ciphers.empty() ? "" : " ciphers " + quote(junction.ciphers));
  }

  const GatewayConfig& config_;
  std::ostringstream text_;
  std::optional<Error> failed_;
};

std::vector<std::string> columns(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream fields(line);
  for (std::string field; std::getline(fields, field, ',');) {
    all.push_back(field);
  }
  return all;
}

class Haproxy final : public Peer {
 public:
  Result<std::vector<std::pair<std::string, std::string>>> files(const GatewayConfig& config) const override {
    auto text = Writer(config).write();
    if (!text) {
      return text.error();
    }
    std::vector<std::pair<std::string, std::string>> files{{"haproxy.cfg", std::move(*text)}};
    if (!config.service.tls.empty()) {  // it wants certificate and key in one file
      const auto certificate = text_of(config.service.certificate.certificate), key = text_of(config.service.certificate.key);
      if (!certificate || !key) {
        return certificate ? key.error() : certificate.error();
      }
      files.emplace_back("both.pem", *certificate + "\n" + *key);
    }
    return files;
  }
  std::vector<std::string> command() const override { return {"haproxy", "-db", "-f", "haproxy.cfg"}; }
  std::string output(const GatewayConfig& config) const override { return config.logs.request; }
  std::string status_request() const override { return "show stat\n"; }

  // CSV with a heading, "# pxname,svname,…"; requests are its frontend's, retries the servers'.
  Result<PeerCounters> counters(const std::string& answer, std::uint64_t) const override {
    std::istringstream lines(answer);
    std::string line;
    std::getline(lines, line);
    const auto heading = columns(line.substr(std::min<std::size_t>(2, line.size())));
    const auto number = [&](const std::vector<std::string>& row, const char* column) {
      const auto at = static_cast<std::size_t>(std::find(heading.begin(), heading.end(), column) - heading.begin());
      std::uint64_t value = 0;
      if (at < row.size()) {
        std::from_chars(row[at].data(), row[at].data() + row[at].size(), value);
      }
      return value;
    };
    PeerCounters counters;
    bool found = false;
    while (std::getline(lines, line)) {
      const auto row = columns(line);
      if (row.size() > 1 && row[0] == "gateway" && row[1] == "FRONTEND") {
        found = true;
        counters.requests = number(row, "req_tot");
      } else if (row.size() > 1 && row[0].starts_with("junction") && row[1] == "BACKEND") {
        counters.retries += number(row, "wretr") + number(row, "wredis");
      }
    }
    return found ? Result<PeerCounters>(counters) : Error{"HAProxy's `show stat` is not understood", {}, {}, answer.substr(0, 200)};
  }
  int flush_signal() const override { return 0; }
};

}  // namespace

std::unique_ptr<Peer> make_haproxy() { return std::make_unique<Haproxy>(); }

}  // namespace lab::peers
