// nginx(8) as a gateway: https://nginx.org/en/docs/, modules http_proxy, http_upstream, http_ssl, http_log, http_stub_status.
#include "roles/peers/peer.hpp"

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <sstream>

namespace lab::peers {

namespace {

// "text" as one argument. Variables cannot be escaped in nginx's language.
Result<std::string> quoted(const std::string& text) {
  if (text.find_first_of("$\n\r") != std::string::npos) {
    return Error{"nginx has no way to write " + text, {}, "use a path without $ and line ends", {}};
  }
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return result + "\"";
}

const char* version(TlsVersion tls) { return tls == TlsVersion::tls1_2 ? "TLSv1.2" : "TLSv1.3"; }

std::string versions(TlsVersion min, TlsVersion max) { return min == max ? version(min) : std::string(version(min)) + " " + version(max); }

std::string written(const Endpoint& endpoint) {
  const bool colons = endpoint.host.find(':') != std::string::npos;
  return (colons ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

class Writer {
 public:
  explicit Writer(const GatewayConfig& config) : config_(config) {}

  Result<std::string> write() {
    main();
    logs();
    for (std::size_t i = 0; i < config_.junctions.size(); ++i) {
      upstream(i);
    }
    server();
    text_ << "  server { listen unix:" << kStatusSocket << "; access_log off; location / { stub_status; } }\n}\n";
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

  void main() {
    text_ << "# Written by lab from the gateway's junctions.\n"
          << "daemon off;\npid nginx.pid;\nerror_log stderr warn;\nworker_processes " << config_.service.threads << ";\n"
          << (geteuid() == 0 ? "user root;\n" : "") << "events { worker_connections 4096; }\nhttp {\n"
          << "  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;\n"
          << "  keepalive_requests 1000000000; keepalive_timeout 600s;\n";
  }

  void log(const std::string& file, const char* format) {
    if (!file.empty()) {
      text_ << "  access_log " << quote(file) << " " << format << (file == "/dev/null" ? "" : " buffer=64k flush=20s") << ";\n";
    }
  }

  void logs() {
    text_ << "  log_format request '$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent';\n"
          << "  log_format agent '$http_user_agent';\n  log_format referer '$http_referer';\n";
    if (config_.logs.request.empty() && config_.logs.agent.empty() && config_.logs.referer.empty()) {
      text_ << "  access_log off;\n";
    }
    log(config_.logs.request, "request");
    log(config_.logs.agent, "agent");
    log(config_.logs.referer, "referer");
  }

  void upstream(std::size_t number) {
    text_ << "  upstream junction" << number << " { least_conn;";
    for (const Endpoint& server : config_.junctions[number].servers) {
      text_ << " server " << written(server) << ";";
    }
    text_ << " keepalive 256; keepalive_requests 1000000000; }\n";
  }

  void server() {
    text_ << "  server {\n";
    const char* const share = config_.service.threads > 1 ? " reuseport" : "";
    for (const Endpoint& endpoint : config_.service.plain) {
      text_ << "    listen " << written(endpoint) << share << ";\n";
    }
    for (const Endpoint& endpoint : config_.service.tls) {
      text_ << "    listen " << written(endpoint) << " ssl" << share << ";\n";
    }
    if (const TlsServer& tls = config_.service.certificate; !config_.service.tls.empty()) {
      text_ << "    ssl_certificate " << quote(tls.certificate) << "; ssl_certificate_key " << quote(tls.key) << ";\n"
            << "    ssl_protocols " << versions(tls.min, tls.max) << "; ssl_session_cache shared:sessions:10m;\n";
      if (!tls.ciphers.empty()) {
        text_ << "    ssl_ciphers " << quote(tls.ciphers) << ";\n";
      }
    }
    if (std::none_of(config_.junctions.begin(), config_.junctions.end(), [](const Junction& one) { return one.point == "/"; })) {
      text_ << "    location / { return 404; }\n";
    }
    for (std::size_t i = 0; i < config_.junctions.size(); ++i) {
      junction(i);
    }
    text_ << "  }\n";
  }

  void junction(std::size_t number) {
    const Junction& junction = config_.junctions[number];
    const std::string target = (junction.type == JunctionType::ssl ? "https" : "http") + std::string("://junction") +
                               std::to_string(number) + (junction.transparent ? "" : "/");
    if (junction.point == "/") {
      location("/ ", junction, target);
    } else {
      location("= " + quote(junction.point), junction, target);
      location(quote(junction.point + "/"), junction, target);
    }
  }

  void location(const std::string& where, const Junction& junction, const std::string& target) {
    text_ << "    location " << where << " {\n      proxy_pass " << target
          << "; proxy_http_version 1.1; proxy_set_header Connection \"\";\n"
          << "      proxy_buffers 8 64k; proxy_buffer_size 64k; proxy_busy_buffers_size 128k; proxy_max_temp_file_size 0;\n"
          << "      proxy_connect_timeout 30s; proxy_read_timeout 120s; proxy_send_timeout 120s;\n";
    for (const char* header : {"iv-user", "iv-groups", "iv-creds", "iv-user-l"}) {
      text_ << "      proxy_set_header " << header << " \"\";\n";
    }
    text_ << "      proxy_set_header iv-remote-address " << (junction.client_address ? "$remote_addr" : "\"\"") << ";\n";
    if (!junction.host_header.empty()) {
      text_ << "      proxy_set_header Host " << quote(junction.host_header) << ";\n";
    }
    if (junction.type == JunctionType::ssl) {
      tls(junction);
    }
    text_ << "    }\n";
  }

  // It compares names of the host that it connects to, so the first server's has to do for all of a junction.
  void tls(const Junction& junction) {
    text_ << "      proxy_ssl_protocols " << versions(TlsVersion::tls1_2, junction.tls_max.value_or(TlsVersion::tls1_3)) << ";\n";
    if (!junction.ciphers.empty()) {
      text_ << "      proxy_ssl_ciphers " << quote(junction.ciphers) << ";\n";
    }
    if (!junction.server_ca.empty()) {
      text_ << "      proxy_ssl_verify on; proxy_ssl_trusted_certificate " << quote(junction.server_ca) << "; proxy_ssl_name "
            << quote(junction.servers.front().host) << ";\n";
    }
  }

  const GatewayConfig& config_;
  std::ostringstream text_;
  std::optional<Error> failed_;
};

class Nginx final : public Peer {
 public:
  Result<std::vector<std::pair<std::string, std::string>>> files(const GatewayConfig& config) const override {
    auto text = Writer(config).write();
    if (!text) {
      return text.error();
    }
    return std::vector<std::pair<std::string, std::string>>{{"nginx.conf", std::move(*text)}};
  }
  std::vector<std::string> command() const override { return {"nginx", "-p", "./", "-c", "nginx.conf", "-e", "stderr"}; }
  std::string output(const GatewayConfig&) const override { return {}; }
  std::string status_request() const override { return "GET / HTTP/1.0\r\n\r\n"; }

  // "server accepts handled requests\n 12 12 30 \n…": the last of the three, which counts these questions, too.
  Result<PeerCounters> counters(const std::string& answer, std::uint64_t asked) const override {
    const auto heading = answer.find("requests");
    std::istringstream numbers(heading == std::string::npos ? std::string() : answer.substr(heading + 8));
    std::uint64_t accepts = 0, handled = 0, requests = 0;
    if (!(numbers >> accepts >> handled >> requests) || requests < asked) {
      return Error{"nginx's stub_status is not understood", {}, {}, answer.substr(0, 200)};
    }
    return PeerCounters{requests - asked, 0};
  }
  int flush_signal() const override { return SIGUSR1; }
};

}  // namespace

std::unique_ptr<Peer> make_nginx() { return std::make_unique<Nginx>(); }

}  // namespace lab::peers
