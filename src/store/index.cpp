#include "index.hpp"

#include "run_directory.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <algorithm>
#include <set>

namespace lab::store {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "runs.db";
constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, stamp TEXT, lab TEXT, playbook TEXT, profile TEXT, started TEXT, state TEXT, "
    "trials INTEGER,"
    " measured INTEGER, skipped INTEGER, failed INTEGER, flagged INTEGER, agrees INTEGER, differs INTEGER, cannot_tell INTEGER)";

// Changes whenever a file of the run does.
std::string stamp_of(const fs::path& directory) {
  std::string stamp;
  for (const char* name : {"run.json", "trials.jsonl", "results.json"}) {
    struct stat info {};
    if (stat((directory / name).c_str(), &info) == 0) {
      stamp += std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + ":" + std::to_string(info.st_size) + " ";
    }
  }
  return stamp;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(const std::string& text) { sqlite3_bind_text(statement_, ++bound_, text.c_str(), -1, SQLITE_TRANSIENT); }
  void bind(int number) { sqlite3_bind_int(statement_, ++bound_, number); }
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  std::string text(int column) const {
    const unsigned char* value = sqlite3_column_text(statement_, column);
    return value == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(value));
  }
  int number(int column) const { return sqlite3_column_int(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace

struct Index::Impl {
  fs::path reports;
  sqlite3* db = nullptr;

  ~Impl() { sqlite3_close(db); }

  Error error() const {
    return Error{std::string("the index of runs: ") + sqlite3_errmsg(db),
                 (reports / kFile).string(),
                 "remove it: it is made again from the directories",
                 {}};
  }

  bool open() {
    const std::string file = (reports / kFile).string();
    return sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) == SQLITE_OK &&
           sqlite3_busy_timeout(db, 2000) == SQLITE_OK && sqlite3_exec(db, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  Result<void> run(Statement& statement) const {
    const int code = statement.step();
    return code == SQLITE_DONE || code == SQLITE_ROW ? Result<void>() : Result<void>(error());
  }

  bool has(const std::string& name, const std::string& stamp) const {
    Statement statement(db, "SELECT 1 FROM runs WHERE name = ? AND stamp = ?");
    statement.bind(name);
    statement.bind(stamp);
    return statement.step() == SQLITE_ROW;
  }

  Result<void> put(const RunSummary& run, const std::string& stamp) const {
    Statement statement(db, "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (const std::string* text : {&run.name, &stamp, &run.lab, &run.playbook, &run.profile, &run.started, &run.state}) {
      statement.bind(*text);
    }
    for (const int number : {run.trials, run.measured, run.skipped, run.failed, run.flagged, run.agrees, run.differs, run.cannot_tell}) {
      statement.bind(number);
    }
    return this->run(statement);
  }

  Result<void> forget(const std::string& name) const {
    Statement statement(db, "DELETE FROM runs WHERE name = ?");
    statement.bind(name);
    return run(statement);
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    Statement statement(db, "SELECT name FROM runs");
    while (statement.step() == SQLITE_ROW) {
      names.insert(statement.text(0));
    }
    return names;
  }
};

Index::Index(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Index::~Index() = default;

Result<std::unique_ptr<Index>> Index::open(const fs::path& reports) {
  auto impl = std::make_unique<Impl>();
  impl->reports = reports;
  if (!impl->open()) {
    const int code = sqlite3_errcode(impl->db);
    if (code != SQLITE_NOTADB && code != SQLITE_CORRUPT) {
      return impl->error();
    }
    sqlite3_close(impl->db);
    impl->db = nullptr;
    std::error_code ignored;
    fs::remove(reports / kFile, ignored);
    if (!impl->open()) {
      return impl->error();
    }
  }
  return std::unique_ptr<Index>(new Index(std::move(impl)));
}

Result<void> Index::sync() {
  std::set<std::string> gone = impl_->names();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(impl_->reports, error)) {
    if (entry.is_symlink() || !entry.is_directory() || !fs::exists(entry.path() / "run.json")) {
      continue;
    }
    const std::string name = entry.path().filename().string();
    const std::string stamp = stamp_of(entry.path());
    if (!impl_->has(name, stamp)) {
      const auto run = summarise(entry.path());
      if (!run) {
        continue;
      }
      if (auto put = impl_->put(*run, stamp); !put) {
        return put;
      }
    }
    gone.erase(name);
  }
  for (const std::string& name : gone) {
    if (auto forgotten = impl_->forget(name); !forgotten) {
      return forgotten;
    }
  }
  return {};
}

Result<std::vector<RunSummary>> Index::list() const {
  std::vector<RunSummary> runs;
  Statement statement(
      impl_->db,
      "SELECT name, lab, playbook, profile, started, state, trials, measured, skipped, failed, flagged, agrees, differs, cannot_tell"
      " FROM runs ORDER BY started DESC, name DESC");
  int code = statement.step();
  for (; code == SQLITE_ROW; code = statement.step()) {
    RunSummary run{statement.text(0), statement.text(1), statement.text(2), statement.text(3), statement.text(4), statement.text(5)};
    int column = 6;
    for (int* number : {&run.trials, &run.measured, &run.skipped, &run.failed, &run.flagged, &run.agrees, &run.differs, &run.cannot_tell}) {
      *number = statement.number(column++);
    }
    runs.push_back(std::move(run));
  }
  if (code != SQLITE_DONE) {
    return impl_->error();
  }
  return runs;
}

Result<RunSummary> summarise(const fs::path& directory) {
  const auto stored = read_run(directory);
  if (!stored) {
    return stored.error();
  }
  const RunRecord& record = stored->record;
  RunSummary run{directory.filename().string(), record.lab, record.playbook, record.profile, record.started, "unfinished"};
  run.trials = static_cast<int>(stored->trials.size());
  if (!stored->results) {
    return run;
  }
  run.state = run.trials < record.trials ? "unfinished" : "finished";
  for (const CellResult& cell : stored->results->cells) {
    run.measured += cell.status == "measured" ? 1 : 0;
    run.skipped += cell.status == "skipped" ? 1 : 0;
    run.failed += cell.status == "failed" ? 1 : 0;
    run.flagged += cell.flags.empty() ? 0 : 1;
  }
  for (const ClaimResult& claim : stored->results->claims) {
    run.agrees += claim.verdict == "agrees" ? 1 : 0;
    run.differs += claim.verdict == "differs" ? 1 : 0;
    run.cannot_tell += claim.verdict == "cannot-tell" ? 1 : 0;
  }
  return run;
}

}  // namespace lab::store
