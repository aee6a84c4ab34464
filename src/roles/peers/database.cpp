#include "roles/peers/database.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>

namespace lab::peers {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto kShutdown = 3s;
constexpr const char* kCluster = "cluster";  // the folder of everything, below the current one
constexpr const char* kUser = "postgres";
constexpr mode_t kPrivate = 0700;
constexpr const char* kFastShutdown = "INT";

std::string literal(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return quoted + "'";
}

// Whether all others than its owner may pass through every folder on the way to `folder`.
bool open_to_all(fs::path folder) {
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) {
      return false;
    }
  }
  return true;
}

// The words before a command that make an ordinary user of root; where the cluster is then.
struct Guise {
  std::vector<std::string> words;
  fs::path cluster;
};

// setpriv(1), unshare(1) and mount(8) are essential packages of Debian's.
Result<Guise> guise_for(const fs::path& cluster) {
  if (geteuid() != 0) {
    return Guise{dying_with_us(kFastShutdown, {}), cluster};
  }
  const passwd* const user = getpwnam(kUser);
  if (user == nullptr) {
    return Error{
        "PostgreSQL does not run as root, and there is no user postgres", {}, "apt-get install postgresql-15, or run as another user", {}};
  }
  if (chown(cluster.c_str(), user->pw_uid, user->pw_gid) != 0) {
    return system_error("give " + cluster.string() + " to user postgres", errno);
  }
  const std::vector<std::string> drop{"setpriv",
                                      "--reuid=" + std::to_string(user->pw_uid),
                                      "--regid=" + std::to_string(user->pw_gid),
                                      "--clear-groups",
                                      "--pdeathsig",
                                      kFastShutdown,
                                      "--"};
  if (open_to_all(cluster.parent_path())) {
    return Guise{drop, cluster};
  }
  Guise guise{{"unshare", "--mount", "--propagation", "private", "sh", "-c", R"sh(mount --bind "$0" /mnt && cd /mnt && exec "$@")sh",
               cluster.string()},
              "/mnt"};
  guise.words.insert(guise.words.end(), drop.begin(), drop.end());
  return guise;
}

// Runs one of PostgreSQL's programs to its end; what it says goes with ours.
Result<void> run(const Guise& guise, const std::vector<std::string>& command, Deadline deadline) {
  std::vector<std::string> words = guise.words;
  words.insert(words.end(), command.begin(), command.end());
  auto child = Child::start(words);
  if (!child) {
    return child.error();
  }
  child->stop(0, deadline);
  const auto code = child->reap();
  return code == 0 ? Result<void>()
                   : Error{command.front() + (code ? " fails with exit code " + std::to_string(*code) : " takes too long"),
                           {},
                           "its messages say why",
                           {}};
}

Result<void> write_text(const fs::path& file, const std::string& text, std::ios::openmode mode = std::ios::trunc) {
  std::ofstream out(file, std::ios::out | mode);
  out << text;
  out.close();
  return out ? Result<void>() : system_error("write " + file.string(), errno == 0 ? EIO : errno, "is there space on the node's disk?");
}

// The settings that differ from initdb's: nothing here outlives the lab, so no page waits for a disk.
std::string settings(const DatabaseConfig& config) {
  return "listen_addresses = " + literal(config.listen.host) + "\nport = " + std::to_string(config.listen.port) +
         "\nunix_socket_directories = ''\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\nwal_level = minimal\n"
         "max_wal_senders = 0\nautovacuum = off\njit = off\ndynamic_shared_memory_type = mmap\nshared_buffers = 128MB\n"
         "password_encryption = 'scram-sha-256'\nmax_connections = 200\n";
}

// Statements end with an empty line in this mode (-j): postgres(1), "Options for Single-User Mode".
Result<void> run_sql(const Guise& guise, const fs::path& programs, const std::string& database, const fs::path& here,
                     const std::string& sql, Deadline deadline) {
  if (auto written = write_text(here / "setup.sql", sql); !written) {
    return written;
  }
  const std::string there = (guise.cluster / "data").string();
  return run(guise,
             {"sh", "-c", R"sh(exec "$0" --single -j -D "$1" "$2" <"$3" >/dev/null)sh", (programs / "postgres").string(), there, database,
              (guise.cluster / "setup.sql").string()},
             deadline);
}

Result<void> make_cluster(const Guise& guise, const fs::path& programs, const fs::path& here, const DatabaseConfig& config,
                          Deadline deadline) {
  const std::string there = (guise.cluster / "data").string();
  if (auto made = run(guise,
                      {(programs / "initdb").string(), "-D", there, "-U", "lab", "-A", "reject", "--no-sync", "--no-locale", "-E", "UTF8",
                       "--no-instructions"},
                      deadline);
      !made) {
    return made;
  }
  for (const auto& [name, text, mode] :
       {std::tuple{"postgresql.conf", settings(config), std::ios::app}, std::tuple{"pg_hba.conf", access_rules(config), std::ios::trunc}}) {
    if (auto written = write_text(here / "data" / name, text, mode); !written) {
      return written;
    }
  }
  if (auto made = run_sql(guise, programs, "postgres", here, "CREATE DATABASE \"" + config.name + "\";\n\n", deadline); !made) {
    return made;
  }
  return run_sql(guise, programs, config.name, here, schema_sql(config), deadline);
}

}  // namespace

std::optional<fs::path> postgresql_programs(const fs::path& root) {
  std::optional<fs::path> newest;
  int version = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    const int found = std::atoi(entry.path().filename().c_str());
    if (found > version && access((entry.path() / "bin" / "postgres").c_str(), X_OK) == 0) {
      newest = entry.path() / "bin";
      version = found;
    }
  }
  return newest;
}

std::string schema_sql(const DatabaseConfig& config) {
  return "CREATE ROLE \"" + config.user + "\" LOGIN PASSWORD " + literal(config.password) +
         ";\n\n"
         "CREATE TABLE page (bytes bigint PRIMARY KEY, body bytea NOT NULL);\n\n"
         "ALTER TABLE page ALTER COLUMN body SET STORAGE EXTERNAL;\n\n"  // the pattern would be compressed: a page of ours costs what it
                                                                         // weighs
         "GRANT SELECT, INSERT ON page TO \"" +
         config.user + "\";\n\n";
}

std::string access_rules(const DatabaseConfig& config) {
  const std::string who = "\"" + config.name + "\" \"" + config.user + "\"";
  return "host " + who + " 0.0.0.0/0 scram-sha-256\nhost " + who + " ::/0 scram-sha-256\n";
}

Result<std::unique_ptr<Database>> Database::start(const DatabaseConfig& config, Deadline deadline) {
  const auto programs = postgresql_programs();
  if (!programs) {
    return Error{"PostgreSQL is not installed here", {}, "apt-get install postgresql-15", {}};
  }
  std::error_code failed;
  const fs::path cluster = fs::current_path(failed) / kCluster;
  fs::remove_all(cluster, failed);
  if (mkdir(cluster.c_str(), kPrivate) != 0) {
    return system_error("make " + cluster.string(), errno);
  }
  const auto guise = guise_for(cluster);
  if (!guise) {
    return guise.error();
  }
  if (auto made = make_cluster(*guise, *programs, cluster, config, deadline); !made) {
    return made.error();
  }
  std::vector<std::string> command = guise->words;
  command.insert(command.end(), {(*programs / "postgres").string(), "-D", (guise->cluster / "data").string()});
  auto child = Child::start(command);
  if (!child) {
    return child.error();
  }
  std::unique_ptr<Database> database(new Database(config, std::move(*child)));
  if (auto ready = database->await_ready(deadline); !ready) {
    return ready.error();
  }
  if (!config.control.empty()) {
    auto control = roles::ControlServer::start(config.control, [](std::string_view method, const json::object&) {
      return method == "ping" || method == "stats" ? Result<json::value>(json::object{})
                                                   : Error{"no such method", std::string(method), "a database answers stats and ping", {}};
    });
    if (!control) {
      return control.error();
    }
    database->control_ = std::move(*control);
  }
  return database;
}

Database::~Database() {
  control_.reset();
  child_.stop(SIGINT, Clock::now() + kShutdown);
  child_.reap();
  std::error_code ignored;
  fs::remove_all(kCluster, ignored);
}

// Line 8 of postmaster.pid tells: "ready" once connections are accepted.
Result<void> Database::await_ready(Deadline deadline) {
  const fs::path file = fs::path(kCluster) / "data" / "postmaster.pid";
  const net::Fd watch(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  inotify_add_watch(watch.get(), file.parent_path().c_str(), IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE);
  while (true) {
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    if (text.find("\nready") != std::string::npos) {
      return {};
    }
    if (auto running = check_running(); !running) {
      return running;
    }
    if (Clock::now() >= deadline) {
      return Error{"PostgreSQL does not serve in time", {}, "its messages say why", {}};
    }
    std::array<pollfd, 2> entries{{{watch.get(), POLLIN, 0}, {child_.ended(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    poll(entries.data(), entries.size(), static_cast<int>(std::max<std::int64_t>(0, left.count())));
    std::array<char, 4096> events;
    while (read(watch.get(), events.data(), events.size()) > 0) {
    }
  }
}

Result<void> Database::check_running() {
  const auto code = child_.reap();
  return code ? Error{"PostgreSQL ended with exit code " + std::to_string(*code), {}, "its messages say why", {}} : Result<void>();
}

std::string Database::listening() const { return "postgresql://" + config_.listen.host + ":" + std::to_string(config_.listen.port); }

}  // namespace lab::peers
