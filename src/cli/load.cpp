#include "commands.hpp"

#include "config/config.hpp"
#include "lab/units.hpp"
#include "load_options.hpp"
#include "net/loop.hpp"
#include "roles/common/role.hpp"
#include "roles/load/load.hpp"
#include "roles/load/outcome.hpp"

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>

namespace lab::cli {

namespace {

constexpr int kRedrawMs = 200;
constexpr int kSecondInterruptMs = 20;  // how often to look for it

Result<boost::json::value> answer(load::Load& load, std::string_view method) {
  if (method == "stats") {
    const load::LiveCounts counts = load.live();
    return boost::json::object{
        {"started", counts.started}, {"done", counts.done}, {"failed", counts.failed}, {"in_flight", counts.in_flight}};
  }
  if (method == "stop") {
    load.stop();
    return boost::json::object{};
  }
  if (method == "ping") {
    return boost::json::object{};
  }
  return Error{"no such method", std::string(method), "load answers stats, stop and ping", {}};
}

// One line on the terminal, redrawn in place, until the run has finished.
class LiveLine {
 public:
  LiveLine(Context& context, const load::Load& load) : context_(context), load_(load), begun_(net::monotonic_now()) {}
  ~LiveLine() {
    if (drawn_) {
      context_.err << "\r\033[K" << std::flush;
    }
  }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool shown() const { return context_.terminal && !context_.quiet; }

  void draw() {
    if (!shown()) {
      return;
    }
    const net::Nanos now = net::monotonic_now();
    drawn_ = true;
    const load::LiveCounts counts = load_.live();
    const auto elapsed = std::chrono::nanoseconds((now - begun_) / 100'000'000 * 100'000'000);
    context_.err << "\r\033[K" << format_duration(elapsed) << "  " << counts.done << " done, " << counts.failed << " failed, "
                 << counts.in_flight << " in flight" << std::flush;
  }

 private:
  Context& context_;
  const load::Load& load_;
  net::Nanos begun_;
  bool drawn_ = false;
};

// The first Ctrl-C ends the measurement and drains, the second cuts off.
void wait_for(load::Load& load, Context& context) {
  context.interrupt.take_second();
  LiveLine line(context, load);
  const auto look = [&] {
    line.draw();
    return load.finished();
  };
  roles::wait_until(context.interrupt, look, load.finished_fd(), line.shown() ? kRedrawMs : -1);
  if (!load.finished()) {
    load.stop();
  }
  const Interrupt never;
  bool cut_off = false;
  const auto look_again = [&] {
    if (context.interrupt.at_once() && !cut_off) {
      cut_off = true;
      load.cut_off();
    }
    return load.finished();
  };
  roles::wait_until(never, look_again, load.finished_fd(), kSecondInterruptMs);
}

std::string in_time(double ns) { return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(ns))); }

std::string times(const stats::Histogram& histogram) {
  return "p50 " + in_time(static_cast<double>(histogram.percentile(50))) + "  p90 " +
         in_time(static_cast<double>(histogram.percentile(90))) + "  p99 " + in_time(static_cast<double>(histogram.percentile(99))) +
         "  p99.9 " + in_time(static_cast<double>(histogram.percentile(99.9))) + "  max " + in_time(static_cast<double>(histogram.max())) +
         "  mean " + in_time(histogram.mean());
}

void print_errors(std::ostream& out, const load::Tally& tally) {
  for (std::size_t i = 0; i < load::kErrorClasses; ++i) {
    std::uint64_t count = 0;
    for (const load::Counts& window : tally.windows) {
      count += window.errors[i];
    }
    if (count > 0) {
      out << "  " << load::name_of(static_cast<load::ErrorClass>(i)) << " errors  " << count << ", the first: " << tally.first_error[i]
          << '\n';
    }
  }
}

void print(std::ostream& out, const LoadConfig& config, const load::Outcome& outcome) {
  const load::Tally& tally = outcome.tally;
  const load::Counts& counts = tally.in(load::Window::measure);
  const load::PageCounts pages = load::pages_in(tally, load::Window::measure);
  std::array<char, 64> rate{};
  std::snprintf(rate.data(), rate.size(), "%.1f", load::rate(outcome));
  out << config.url << "  " << tally.clients_connected << " of " << outcome.clients << " connections, "
      << in_time(1e9 * load::seconds(outcome)) << '\n'
      << "  requests  " << rate.data() << "/s: " << pages.started << " started = " << pages.done << " done + " << pages.failed
      << " failed + " << pages.in_flight << " in flight at the end\n"
      << "  service   " << times(tally.service) << '\n';
  if (tally.connect.count() > 0) {
    out << "  connect   " << times(tally.connect) << '\n';
  }
  if (outcome.tls) {
    for (const load::TlsSeen& seen : tally.tls_seen) {
      out << "  TLS       " << seen.version << ", " << seen.cipher << '\n';
    }
    out << "  handshakes  " << counts.full << " full, " << counts.resumed << " resumed\n";
  }
  if (counts.logins > 0) {
    out << "  logins    " << counts.logins << '\n';
  }
  if (counts.reconnects > 0) {
    out << "  reconnects  " << counts.reconnects << '\n';
  }
  if (counts.retries > 0) {
    out << "  retries   " << counts.retries << '\n';
  }
  if (tally.cut_off > 0) {
    out << "  cut off   " << tally.cut_off << ", the oldest after " << in_time(static_cast<double>(tally.oldest_cut_off_ns)) << '\n';
  }
  print_errors(out, tally);
}

Result<void> write_hdr(const std::string& path, const load::Outcome& outcome) {
  const std::int64_t ago = net::monotonic_now() - outcome.measure_ns;
  const auto wall = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::ofstream file(path, std::ios::trunc);
  file << stats::hdr_log("Logged by lab load", wall - static_cast<double>(ago) / 1e9, load::seconds(outcome), outcome.tally.service);
  file.close();
  return file ? Result<void>() : system_error("cannot write " + path, errno, "see whether the folder exists and has room");
}

struct Wanted {
  LoadConfig config;
  std::vector<load::Threshold> thresholds;
  bool json = false;
  int ready_fd = -1;
};

Result<Wanted, Errors> read_wanted(const CLI::App& command, const LoadOptions& options) {
  Wanted wanted{{}, {}, options.json, options.ready_fd};
  if (const std::string file = config_file(options); !file.empty()) {
    if (const Result<void> alone = refuse_beside_file(command, options); !alone) {
      return Errors{alone.error()};
    }
    const Result<std::string> text = config::read_file(file);
    if (!text) {
      return Errors{text.error()};
    }
    Result<LoadConfig, Errors> config = config::parse_load(*text, file);
    if (!config) {
      return config.error();
    }
    wanted.config = std::move(*config);
    wanted.json = true;
  } else {
    Result<LoadConfig> config = to_config(options);
    if (!config) {
      return Errors{config.error()};
    }
    wanted.config = std::move(*config);
  }
  Result<std::vector<load::Threshold>> thresholds = to_thresholds(options);
  if (!thresholds) {
    return Errors{thresholds.error()};
  }
  wanted.thresholds = std::move(*thresholds);
  return wanted;
}

Result<load::Outcome> drive(const Wanted& wanted, Context& context) {
  Result<std::unique_ptr<load::Load>> load = load::Load::prepare(wanted.config);
  if (!load) {
    return load.error();
  }
  std::unique_ptr<roles::ControlServer> control;
  if (!wanted.config.control.empty()) {
    Result<std::unique_ptr<roles::ControlServer>> started = roles::ControlServer::start(
        wanted.config.control, [&driver = **load](std::string_view method, const boost::json::object&) { return answer(driver, method); });
    if (!started) {
      return started.error();
    }
    control = std::move(*started);
  }
  roles::tell_ready(wanted.ready_fd, {});
  (*load)->begin();
  wait_for(**load, context);
  return (*load)->outcome();
}

void report(const Wanted& wanted, const load::Outcome& outcome, Context& context) {
  if (wanted.json) {
    context.out << boost::json::serialize(load::to_json(outcome)) << std::endl;
  } else {
    print(context.out, wanted.config, outcome);
  }
  if (!wanted.config.hdr.empty()) {
    if (const Result<void> written = write_hdr(wanted.config.hdr, outcome); !written) {
      context.fail(written.error());
    }
  }
  if (context.interrupt.requested()) {
    context.exit_code = static_cast<int>(Failure::interrupted);
    return;
  }
  if (const Result<void> verdict = load::verdict(outcome); !verdict) {
    context.fail(verdict.error());
  } else if (const Result<void> judged = load::judge(outcome, wanted.thresholds); !judged) {
    context.fail(judged.error());
  }
}

}  // namespace

void add_load(CLI::App& root, Context& context) {
  auto options = std::make_shared<LoadOptions>();
  CLI::App* command = root.add_subcommand("load", "the load driver: closed-loop clients against one URL");
  add_load_options(*command, *options);
  command->callback([options, command, &context] {
    options->duration_given = command->count("--duration") > 0;
    const Result<Wanted, Errors> wanted = read_wanted(*command, *options);
    if (!wanted) {
      return context.fail(wanted.error());
    }
    const Result<load::Outcome> outcome = drive(*wanted, context);
    if (!outcome) {
      return context.fail(outcome.error());
    }
    report(*wanted, *outcome, context);
  });
}

}  // namespace lab::cli
