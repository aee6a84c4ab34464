// Pages out of PostgreSQL for one thread of the page server: kept connections, requests that wait for them, and pages kept where told so.
#pragma once

#include "roles/pages/database_connection.hpp"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace lab::pages {

inline constexpr std::uint64_t kMostFromDatabase = std::uint64_t{64} << 20U;  // bytes of a page

class Database final : public DatabaseConnection::Owner {
 public:
  class Asker {
   public:
    virtual ~Asker() = default;
    virtual void page_came(PageBody body) = 0;
    virtual void no_page(const Error& error) = 0;
  };

  // Connects when first asked; at most settings.connections at a time.
  Database(net::Loop& loop, DatabaseClient settings);
  ~Database() override;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The page, when it is kept; else nothing, and the asker is told from the loop, unless it forgets. First come, first served.
  PageBody get(std::uint64_t size, Asker& asker);
  void forget(Asker& asker);

 private:
  struct Request {
    std::uint64_t size = 0;
    Asker* asker = nullptr;  // null: it has forgotten
    bool repeated = false;   // asked once already, on a connection that had gone stale
  };
  struct Line {
    std::unique_ptr<DatabaseConnection> connection;
    Request request;
  };

  void answered(DatabaseConnection& connection, PageBody body) override;
  void lost(DatabaseConnection& connection, bool stale, const Error& error) override;
  void serve_waiting();
  Line* free_line();
  Result<Line*> new_line();
  Line& line_of(DatabaseConnection& connection);
  void remove(DatabaseConnection& connection);
  void keep(std::uint64_t size, const PageBody& body);

  net::Loop& loop_;
  const DatabaseClient settings_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // for what is deferred
  std::deque<Request> waiting_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::map<std::uint64_t, PageBody> kept_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace lab::pages
