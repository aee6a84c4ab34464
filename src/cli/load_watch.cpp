#include "load_watch.hpp"

#include "lab/units.hpp"
#include "net/loop.hpp"
#include "roles/common/role.hpp"
#include "stats/histogram.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>

namespace lab::cli {

namespace {

constexpr int kRedrawMs = 200;
constexpr int kFetchMs = 500;
constexpr int kSecondInterruptMs = 20;  // how often to look for it

double wall_seconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

Result<void> create(std::ofstream& file, const std::string& path) {
  file.open(path, std::ios::trunc);
  return file ? Result<void>() : system_error("cannot write " + path, errno, "see whether the folder exists and has room");
}

Result<void> finish(std::ofstream& file, const std::string& path) {
  if (!file.is_open()) {
    return {};
  }
  file.close();
  return file ? Result<void>() : system_error("cannot write " + path, errno, "see whether the disk has room");
}

std::string in_time(std::uint64_t ns) { return format_duration(std::chrono::nanoseconds(ns)); }

// One line on the terminal, redrawn in place, until the run has finished.
class LiveLine {
 public:
  explicit LiveLine(Context& context) : context_(context), begun_(net::monotonic_now()) {}
  ~LiveLine() {
    if (drawn_) {
      context_.err << "\r\033[K" << std::flush;
    }
  }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool shown() const { return context_.terminal && !context_.quiet; }

  void hear(const load::Interval& interval) {
    std::array<char, 160> text{};
    const double length = seconds(interval.length_ns);
    std::snprintf(
        text.data(), text.size(), "%.0f/s  %s%.0f%% driver CPU", length > 0 ? static_cast<double>(interval.done) / length : 0,
        interval.times.count() == 0
            ? "warming up  "
            : ("p50 " + in_time(interval.times.percentile(50)) + "  p99 " + in_time(interval.times.percentile(99)) + "  ").c_str(),
        length > 0 ? 100 * seconds(interval.cpu_ns) / length : 0);
    last_second_ = text.data();
  }

  void draw(const load::LiveCounts& counts) {
    if (!shown()) {
      return;
    }
    drawn_ = true;
    const auto elapsed = std::chrono::nanoseconds((net::monotonic_now() - begun_) / 100'000'000 * 100'000'000);
    context_.err << "\r\033[K" << format_duration(elapsed) << "  " << last_second_ << (last_second_.empty() ? "" : "  ") << counts.done
                 << " done, " << counts.failed << " failed, " << counts.in_flight << " in flight" << std::flush;
  }

 private:
  Context& context_;
  net::Nanos begun_;
  std::string last_second_;
  bool drawn_ = false;
};

}  // namespace

Result<void> LoadFiles::open(const LoadConfig& config) {
  csv_path_ = config.csv;
  hdr_path_ = config.hdr;
  if (!csv_path_.empty()) {
    if (Result<void> created = create(csv_, csv_path_); !created) {
      return created;
    }
    csv_ << "time_s,length_s,started,done,failed,rate,p50_us,p90_us,p99_us,max_us,mean_us,driver_cpu\n";
  }
  return hdr_path_.empty() ? Result<void>() : create(hdr_, hdr_path_);
}

void LoadFiles::add(const load::Interval& interval) {
  const stats::Histogram& times = interval.times;
  if (began_ns_ == 0) {
    began_ns_ = interval.start_ns;
    if (hdr_.is_open()) {
      hdr_ << stats::hdr_log_head("Logged by lab load", wall_seconds() - seconds(net::monotonic_now() - began_ns_));
    }
  }
  const double start = seconds(interval.start_ns - began_ns_);
  const double length = seconds(interval.length_ns);
  if (csv_.is_open()) {
    const auto us = [](double ns) { return ns / 1e3; };
    std::array<char, 320> line{};
    std::snprintf(line.data(), line.size(), "%.3f,%.3f,%llu,%llu,%llu,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.3f\n", start, length,
                  static_cast<unsigned long long>(interval.started), static_cast<unsigned long long>(interval.done),
                  static_cast<unsigned long long>(interval.failed), length > 0 ? static_cast<double>(interval.done) / length : 0,
                  us(static_cast<double>(times.percentile(50))), us(static_cast<double>(times.percentile(90))),
                  us(static_cast<double>(times.percentile(99))), us(static_cast<double>(times.max())), us(times.mean()),
                  length > 0 ? seconds(interval.cpu_ns) / length : 0);
    csv_ << line.data();
  }
  if (hdr_.is_open() && times.count() > 0) {
    hdr_ << stats::hdr_log_line(start, length, times);
  }
}

Result<void> LoadFiles::close() {
  const Result<void> csv = finish(csv_, csv_path_);
  const Result<void> hdr = finish(hdr_, hdr_path_);
  return csv ? hdr : csv;
}

bool wants_intervals(const LoadFiles& files, const Context& context) { return files.any() || (context.terminal && !context.quiet); }

void watch(load::Load& load, LoadFiles& files, Context& context) {
  context.interrupt.take_second();
  LiveLine line(context);
  const auto fetch = [&] {
    for (const load::Interval& interval : load.take_intervals()) {
      files.add(interval);
      line.hear(interval);
    }
  };
  const auto look = [&] {
    fetch();
    line.draw(load.live());
    return load.finished();
  };
  roles::wait_until(context.interrupt, look, load.finished_fd(), line.shown() ? kRedrawMs : files.any() ? kFetchMs : -1);
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
  fetch();
}

}  // namespace lab::cli
