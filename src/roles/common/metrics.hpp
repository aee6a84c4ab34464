// What a role counts, for other people's monitoring: OpenMetrics 1.0 at /metrics, on a listener and a thread of its own.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace lab::roles {

// Builds an exposition; names come without the prefix `lab_` and without `_total`.
class MetricsText {
 public:
  // A family's header; its samples follow.
  MetricsText& counter(std::string_view name, std::string_view help);
  MetricsText& gauge(std::string_view name, std::string_view help);
  // One sample of the family begun last. `labels`: "" or what stands between the braces, made with label().
  MetricsText& sample(std::uint64_t value, std::string_view labels = {});
  std::string finish();  // ends with "# EOF"

  static std::string label(std::string_view name, std::string_view value);  // name="value", escaped; join several with ','

 private:
  MetricsText& family(std::string_view name, std::string_view type, std::string_view help);
  std::string text_, name_;
  bool counts_ = false;
};

class MetricsServer {
 public:
  // `text` is asked on the server's thread, once a scrape. Port 0: the kernel's choice, see url().
  static Result<std::unique_ptr<MetricsServer>> start(const Endpoint& address, std::function<Result<std::string>()> text);
  ~MetricsServer();

  const std::string& url() const;  // "http://127.0.0.1:9100/metrics"

 private:
  MetricsServer();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::roles
