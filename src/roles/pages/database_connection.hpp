// One connection of a page server's thread to PostgreSQL: logs in, prepares its statements, asks one thing at a time.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "postgres/message.hpp"
#include "postgres/scram.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lab::pages {

using PageBody = std::shared_ptr<const std::string>;

class DatabaseConnection final : public net::Watcher {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Either comes last in what the connection does: it may be destroyed by them only through Loop::defer.
    virtual void answered(DatabaseConnection& connection, PageBody body) = 0;
    // `stale`: it had answered before, and ended before any of this answer came.
    virtual void lost(DatabaseConnection& connection, bool stale, const Error& error) = 0;
  };

  // `stream` is being connected.
  DatabaseConnection(net::Loop& loop, const DatabaseClient& settings, Owner& owner, net::Stream stream);
  ~DatabaseConnection() override;
  DatabaseConnection(const DatabaseConnection&) = delete;
  DatabaseConnection& operator=(const DatabaseConnection&) = delete;

  // The page of so many bytes; one that the table lacks is made and put in. Answers from the loop, never before returning. When idle, or
  // not logged in yet.
  void ask(std::uint64_t size);
  bool idle() const { return !asked_ && state_ != State::lost; }

  void on_events(std::uint32_t events) override;

 private:
  enum class State : std::uint8_t { connecting, login, preparing, ready, lost };
  enum class Step : std::uint8_t { none, select, insert };

  bool send();
  void receive();
  bool take_messages();  // false: answered or lost, nothing more may be touched
  bool take(const postgres::Message& message);
  bool take_login(std::string_view payload);
  bool take_row(std::string_view payload);
  bool take_ready();
  void prepare();
  void put_query();
  void put_insert();
  bool lose(const std::string& what);

  net::Loop& loop_;
  const DatabaseClient& settings_;
  Owner& owner_;
  net::Stream stream_;
  net::Timer deadline_;
  State state_ = State::connecting;
  Step step_ = Step::none;
  bool readable_ = false, hung_up_ = false;
  bool kept_ = false;  // it has answered before
  std::optional<postgres::Scram> scram_;
  std::optional<std::uint64_t> asked_;
  PageBody body_;
  std::string failure_;  // what the server said is wrong with the query
  std::string out_, in_;
  std::size_t sent_ = 0;
};

}  // namespace lab::pages
