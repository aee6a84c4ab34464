#include "run_directory.hpp"

#include "files.hpp"
#include "json.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace lab::store {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSamplesHead =
    "trial,node,at_ns,taken_ns,cpu_us,host_user_us,host_system_us,host_idle_us,host_iowait_us,host_steal_us,host_irq_us,host_accounted_"
    "us\n";

// "2026-11-30T20:25:14Z" → "20261130T202514Z"
std::string compact(const std::string& instant) {
  std::string text;
  for (const char c : instant) {
    if (c != '-' && c != ':') {
      text += c;
    }
  }
  return text;
}

Result<fs::path> make_directory(const fs::path& reports, const std::string& wanted) {
  std::error_code error;
  fs::create_directories(reports, error);
  if (error) {
    return file_error("create", reports, error.value());
  }
  for (int attempt = 1; attempt < 100; ++attempt) {
    const fs::path directory = reports / (attempt == 1 ? wanted : wanted + "-" + std::to_string(attempt));
    if (mkdir(directory.c_str(), 0755) == 0) {
      return fs::absolute(directory);
    }
    if (errno != EEXIST) {
      return file_error("create", directory, errno);
    }
  }
  return Error{"a hundred runs of this second are already there", reports.string(), {}, {}};
}

Result<int> open_to_append(const fs::path& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    return file_error("open", file, errno);
  }
  return fd;
}

// All or nothing: what a full disk left half-written is cut off again.
Result<void> append_and_sync(int fd, std::string_view text, const fs::path& file) {
  struct stat before {};
  if (fstat(fd, &before) != 0) {
    return file_error("append to", file, errno);
  }
  auto written = write_all(fd, text, file);
  if (written && fsync(fd) != 0 && errno != EINVAL) {  // EINVAL: not a file that can be synced
    written = file_error("append to", file, errno);
  }
  if (!written && S_ISREG(before.st_mode) && ftruncate(fd, before.st_size) != 0) {
    return file_error("restore", file, errno);
  }
  return written;
}

Result<std::string> read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return file_error("open", file, errno);
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

Result<json::object> read_object(const fs::path& file) {
  auto text = read_text(file);
  if (!text) {
    return text.error();
  }
  json::error_code error;
  json::value value = json::parse(*text, error);
  if (error || !value.is_object()) {
    return Error{file.string() + " is not a JSON object",
                 {},
                 "this run's directory is damaged: measure again, or restore the file",
                 error.message()};
  }
  return std::move(value.get_object());
}

// The bytes up to and with the last line feed.
std::size_t whole_lines(std::string_view text) {
  const auto end = text.rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

Result<void> cut_torn_line(const fs::path& file) {
  auto text = read_text(file);
  if (!text) {
    return text.error();
  }
  const std::size_t whole = whole_lines(*text);
  if (whole != text->size() && truncate(file.c_str(), static_cast<off_t>(whole)) != 0) {
    return file_error("truncate", file, errno);
  }
  return {};
}

// The head, and the rows up to the last one of a trial that is recorded: what follows is of a trial that will be measured again.
std::size_t recorded_samples(std::string_view text, const std::vector<Trial>& trials) {
  std::size_t keep = 0;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view number = text.substr(begin, text.find(',', begin) - begin);
    const bool recorded =
        std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) { return std::to_string(trial.trial) == number; });
    keep = begin == 0 || recorded ? end + 1 : keep;
  }
  return keep;
}

Result<void> cut_samples(const fs::path& directory) {
  const auto trials = read_trials(directory);
  const fs::path file = directory / "samples.csv";
  const auto text = read_text(file);
  if (!trials || !text) {
    return trials ? text.error() : trials.error();
  }
  const std::size_t keep = recorded_samples(*text, *trials);
  return keep == text->size() || truncate(file.c_str(), static_cast<off_t>(keep)) == 0 ? Result<void>()
                                                                                       : file_error("truncate", file, errno);
}

Result<void> link_latest(const fs::path& run) { return link_atomically(run.filename(), run.parent_path() / "latest"); }

}  // namespace

RunDirectory::RunDirectory(fs::path path, int trials, int samples) : path_(std::move(path)), trials_(trials), samples_(samples) {}

RunDirectory::~RunDirectory() {
  close(trials_);
  close(samples_);
}

Result<std::unique_ptr<RunDirectory>> RunDirectory::create(const fs::path& reports, RunRecord record) {
  auto directory = make_directory(reports, record.lab + "-" + record.playbook + "-" + compact(record.started));
  if (!directory) {
    return directory.error();
  }
  record.name = directory->filename().string();
  if (auto written = write_atomically(*directory / "run.json", json::serialize(to_json(record)) + "\n"); !written) {
    return written.error();
  }
  if (auto linked = link_latest(*directory); !linked) {
    return linked.error();
  }
  return reopen(*directory);
}

Result<std::unique_ptr<RunDirectory>> RunDirectory::reopen(const fs::path& directory) {
  const auto trials = open_to_append(directory / "trials.jsonl");
  if (!trials) {
    return trials.error();
  }
  const auto samples = open_to_append(directory / "samples.csv");
  if (!samples) {
    close(*trials);
    return samples.error();
  }
  std::unique_ptr<RunDirectory> run(new RunDirectory(directory, *trials, *samples));
  if (auto cut = cut_torn_line(directory / "trials.jsonl"); !cut) {
    return cut.error();
  }
  if (auto cut = cut_samples(directory); !cut) {
    return cut.error();
  }
  std::error_code ignored;
  if (fs::file_size(directory / "samples.csv", ignored) == 0) {
    if (auto written = write_all(*samples, kSamplesHead, directory / "samples.csv"); !written) {
      return written.error();
    }
  }
  return run;
}

Result<void> RunDirectory::append(const Trial& trial) {
  return append_and_sync(trials_, json::serialize(to_json(trial)) + "\n", path_ / "trials.jsonl");
}

Result<void> RunDirectory::append(const std::vector<NodeSample>& samples) {
  std::ostringstream rows;
  for (const NodeSample& s : samples) {
    rows << s.trial << ',' << s.node << ',' << s.at_ns << ',' << s.taken_ns << ',' << s.cpu_us << ',' << s.user << ',' << s.system << ','
         << s.idle << ',' << s.iowait << ',' << s.steal << ',' << s.irq << ',' << s.accounted << '\n';
  }
  return append_and_sync(samples_, std::move(rows).str(), path_ / "samples.csv");
}

Result<void> RunDirectory::save(const fs::path& name, std::string_view text) {
  const fs::path file = path_ / name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    return file_error("create", file.parent_path(), error.value());
  }
  return write_atomically(file, text);
}

Result<void> RunDirectory::finish(const Results& results) {
  if (auto written = write_atomically(path_ / "results.json", json::serialize(to_json(results)) + "\n"); !written) {
    return written;
  }
  return link_latest(path_);
}

Result<RunRecord> read_record(const fs::path& directory) {
  auto object = read_object(directory / "run.json");
  if (!object) {
    return object.error();
  }
  return record_from_json(*object);
}

Result<std::vector<Trial>> read_trials(const fs::path& directory) {
  const fs::path file = directory / "trials.jsonl";
  auto text = read_text(file);
  if (!text) {
    return text.error();
  }
  text->resize(whole_lines(*text));
  std::vector<Trial> trials;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    json::error_code error;
    const json::value value = json::parse(line, error);
    if (error || !value.is_object()) {
      return Error{"not a trial: " + line.substr(0, 80),
                   file.string() + ":" + std::to_string(number),
                   "remove this line; --resume measures its trial again",
                   {}};
    }
    trials.push_back(trial_from_json(value.get_object()));
  }
  return trials;
}

Result<StoredRun> read_run(const fs::path& directory) {
  auto record = read_record(directory);
  if (!record) {
    return record.error();
  }
  auto trials = read_trials(directory);
  if (!trials) {
    return trials.error();
  }
  StoredRun run{std::move(*record), std::move(*trials), std::nullopt};
  if (fs::exists(directory / "results.json")) {
    auto object = read_object(directory / "results.json");
    if (!object) {
      return object.error();
    }
    run.results = results_from_json(*object);
  }
  return run;
}

Result<fs::path> find_run(const fs::path& reports, const std::string& run) {
  std::vector<fs::path> candidates;
  if (run.empty()) {
    candidates = {reports / "latest"};
  } else {
    candidates = {fs::path(run), reports / run};
  }
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (fs::exists(candidate / "run.json", error)) {
      return fs::canonical(candidate, error);
    }
  }
  if (run.empty()) {
    return Error{"there is no run in " + reports.string(), {}, "measure one with: lab run", {}, Failure::usage};
  }
  return Error{"no such run: " + run, {}, "lab runs lists those in " + reports.string(), {}, Failure::usage};
}

}  // namespace lab::store
