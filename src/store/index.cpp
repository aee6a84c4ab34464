#include "index.hpp"

#include "run_directory.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

namespace lab::store {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "runs.db";
constexpr const char* kVersion = "2";  // of the schema: raised with every change of it
constexpr const char* kSchema =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, stamp TEXT, lab TEXT, playbook TEXT, profile TEXT, started TEXT, state TEXT, "
    "trials INTEGER,"
    " measured INTEGER, skipped INTEGER, failed INTEGER, flagged INTEGER, agrees INTEGER, differs INTEGER, cannot_tell INTEGER);"
    "CREATE TABLE IF NOT EXISTS cells (run TEXT, place INTEGER, cell TEXT, status TEXT, median REAL, low REAL, high REAL, n INTEGER,"
    " flags TEXT, PRIMARY KEY (run, place)) WITHOUT ROWID;"
    "PRAGMA user_version = 2;"
    "COMMIT";

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
  Statement(sqlite3* db, const char* sql) : prepared_(sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr)) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(const std::string& text) { sqlite3_bind_text(statement_, ++bound_, text.c_str(), -1, SQLITE_TRANSIENT); }
  void bind(int number) { sqlite3_bind_int(statement_, ++bound_, number); }
  void bind(double number) { sqlite3_bind_double(statement_, ++bound_, number); }
  int step() { return prepared_ != SQLITE_OK ? prepared_ : sqlite3_step(statement_); }
  std::string text(int column) const {
    const unsigned char* value = sqlite3_column_text(statement_, column);
    return value == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(value));
  }
  int number(int column) const { return sqlite3_column_int(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int prepared_;
  int bound_ = 0;
};

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& word : list) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

RunSummary summary_of(const std::string& name, const StoredRun& stored);

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
           sqlite3_busy_timeout(db, 10'000) == SQLITE_OK;
  }

  enum class State { good, fresh, useless, unknown };
  State state() const {
    const auto answer = [this](const char* sql, std::string& text) {
      Statement statement(db, sql);
      const int code = statement.step();
      text = code == SQLITE_ROW ? statement.text(0) : "";
      return code;
    };
    std::string checked, version, tables;
    for (const auto& [sql, text] : {std::pair{"PRAGMA quick_check(1)", &checked},
                                    {"PRAGMA user_version", &version},
                                    {"SELECT count(*) FROM sqlite_schema", &tables}}) {
      const int code = answer(sql, *text);
      if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
        return State::useless;
      }
      if (code != SQLITE_ROW) {
        return State::unknown;
      }
    }
    if (checked != "ok") {
      return State::useless;
    }
    return version == kVersion ? State::good : version == "0" && tables == "0" ? State::fresh : State::useless;
  }

  // With what an unfinished transaction left beside it, which must not be played into the new one.
  void remove() {
    sqlite3_close(db);
    db = nullptr;
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) {
      std::error_code ignored;
      fs::remove(reports / (std::string(kFile) + ending), ignored);
    }
  }

  Result<void> execute(const char* sql) const {
    return sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>() : Result<void>(error());
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
    Statement statement(db, "INSERT INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (const std::string* text : {&run.name, &stamp, &run.lab, &run.playbook, &run.profile, &run.started, &run.state}) {
      statement.bind(*text);
    }
    for (const int number : {run.trials, run.measured, run.skipped, run.failed, run.flagged, run.agrees, run.differs, run.cannot_tell}) {
      statement.bind(number);
    }
    return this->run(statement);
  }

  Result<void> put(const std::string& name, int place, const CellResult& cell) const {
    Statement statement(db, "INSERT INTO cells VALUES (?,?,?,?,?,?,?,?,?)");
    statement.bind(name);
    statement.bind(place);
    statement.bind(cell.id);
    statement.bind(cell.status);
    for (const double number : {cell.pages_per_s.median, cell.pages_per_s.low, cell.pages_per_s.high}) {
      statement.bind(number);
    }
    statement.bind(cell.trials);
    statement.bind(words(cell.flags));
    return run(statement);
  }

  Result<void> forget(const std::string& name) const {
    for (const char* sql : {"DELETE FROM runs WHERE name = ?", "DELETE FROM cells WHERE run = ?"}) {
      Statement statement(db, sql);
      statement.bind(name);
      if (auto done = run(statement); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> renew(const std::string& name, const StoredRun& stored, const std::string& stamp) const {
    if (auto forgotten = forget(name); !forgotten) {
      return forgotten;
    }
    if (auto done = put(summary_of(name, stored), stamp); !done || !stored.results) {
      return done;
    }
    int place = 0;
    for (const CellResult& cell : stored.results->cells) {
      if (auto done = put(name, place++, cell); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> follow_directories() const {
    std::set<std::string> gone = names();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(reports, error)) {
      if (entry.is_symlink() || !entry.is_directory() || !fs::exists(entry.path() / "run.json")) {
        continue;
      }
      const std::string name = entry.path().filename().string();
      const std::string stamp = stamp_of(entry.path());
      if (!has(name, stamp)) {
        const auto stored = read_run(entry.path());
        if (!stored) {
          continue;
        }
        if (auto done = renew(name, *stored, stamp); !done) {
          return done;
        }
      }
      gone.erase(name);
    }
    for (const std::string& name : gone) {
      if (auto forgotten = forget(name); !forgotten) {
        return forgotten;
      }
    }
    return {};
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
    return impl->error();
  }
  Impl::State state = impl->state();
  if (state == Impl::State::useless) {
    impl->remove();
    if (!impl->open()) {
      return impl->error();
    }
    state = Impl::State::fresh;
  }
  if (state == Impl::State::unknown) {
    return impl->error();
  }
  if (state == Impl::State::fresh) {
    if (auto made = impl->execute(kSchema); !made) {
      return made.error();
    }
  }
  return std::unique_ptr<Index>(new Index(std::move(impl)));
}

Result<void> Index::sync() {
  if (auto begun = impl_->execute("BEGIN IMMEDIATE"); !begun) {
    return begun;
  }
  if (auto done = impl_->follow_directories(); !done) {
    (void)impl_->execute("ROLLBACK");
    return done;
  }
  return impl_->execute("COMMIT");
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

Result<std::vector<Trend>> Index::trends(const std::function<bool(const std::string&)>& wanted) const {
  std::vector<Trend> trends;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> where;  // SIZE_MAX: not wanted
  Statement statement(impl_->db,
                      "SELECT lab, playbook, cell, name, started, profile, status, median, low, high, n, flags FROM cells"
                      " JOIN runs ON run = name ORDER BY lab, playbook, started DESC, name DESC, place");
  int code = statement.step();
  for (; code == SQLITE_ROW; code = statement.step()) {
    std::tuple key{statement.text(0), statement.text(1), statement.text(2)};
    auto at = where.find(key);
    if (at == where.end()) {
      const bool take = wanted(std::get<2>(key));
      at = where.emplace(key, take ? trends.size() : SIZE_MAX).first;
      if (take) {
        trends.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), {}});
      }
    }
    if (at->second != SIZE_MAX) {
      trends[at->second].points.push_back({statement.text(3), statement.text(4), statement.text(5), statement.text(6),
                                           Interval{statement.real(7), statement.real(8), statement.real(9), statement.number(10)},
                                           words_of(statement.text(11))});
    }
  }
  if (code != SQLITE_DONE) {
    return impl_->error();
  }
  for (Trend& trend : trends) {
    std::reverse(trend.points.begin(), trend.points.end());
  }
  return trends;
}

namespace {

RunSummary summary_of(const std::string& name, const StoredRun& stored) {
  const RunRecord& record = stored.record;
  RunSummary run{name, record.lab, record.playbook, record.profile, record.started, "unfinished"};
  run.trials = static_cast<int>(stored.trials.size());
  if (!stored.results) {
    return run;
  }
  run.state = run.trials < record.trials ? "unfinished" : "finished";
  for (const CellResult& cell : stored.results->cells) {
    run.measured += cell.status == "measured" ? 1 : 0;
    run.skipped += cell.status == "skipped" ? 1 : 0;
    run.failed += cell.status == "failed" ? 1 : 0;
    run.flagged += cell.flags.empty() ? 0 : 1;
  }
  for (const ClaimResult& claim : stored.results->claims) {
    run.agrees += claim.verdict == "agrees" ? 1 : 0;
    run.differs += claim.verdict == "differs" ? 1 : 0;
    run.cannot_tell += claim.verdict == "cannot-tell" ? 1 : 0;
  }
  return run;
}

}  // namespace

Result<RunSummary> summarise(const fs::path& directory) {
  const auto stored = read_run(directory);
  if (!stored) {
    return stored.error();
  }
  return summary_of(directory.filename().string(), *stored);
}

}  // namespace lab::store
