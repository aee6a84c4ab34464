// One client's connection to the page server: requests in, pages out, one after the other.
#pragma once

#include "http/message.hpp"
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "roles/pages/database.hpp"
#include "roles/pages/echo.hpp"
#include "roles/pages/heads.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lab::pages {

class Worker;

class Connection final : public net::Watcher, private Database::Asker {
 public:
  Connection(Worker& worker, net::Stream stream);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void on_events(std::uint32_t events) override;
  void drain();  // closes when idle, else after the answer under way

 private:
  // delayed: waits before a page; database: waits for one from there.
  enum class State : std::uint8_t { handshake, head, body, delayed, database, linger, closed };
  enum class Target : std::uint8_t { page, echo, refused };
  // What will answer the request whose body is still being read.
  struct Plan {
    Target target = Target::refused;
    int status = 404;
    std::uint64_t size = 0;
    bool head_only = false;
    Persistence persistence = Persistence::implied;
  };

  void advance();
  bool shake_hands();
  void feed(std::string_view data);
  std::size_t consume(std::string_view data);
  std::size_t take_head(std::string_view data);
  std::size_t take_body(std::string_view data);

  Plan plan(const http::Request& request) const;
  void begin(const http::Request& request, bool body_is_here);
  void answer();
  void delay_answer();
  void answer_now();
  void answer_page();
  void page_came(PageBody body) override;
  void no_page(const Error& error) override;
  void forget_page();
  void answer_text(int status, std::string_view type, std::string_view body);
  void refuse(int status, std::string_view why);  // and closes

  bool pump();  // sends what is left of the answer; false: the socket takes no more for now
  bool answering() const { return !out_.empty() || page_at_ < page_end_ || !stream_.flushed(); }
  void linger();
  void close();
  void arm();

  Worker& worker_;
  net::Stream stream_;
  net::Timer deadline_;
  State state_;
  bool readable_ = false;  // since an event, until a read came up short
  bool hung_up_ = false;   // the peer sent its FIN: read to the end
  bool close_after_answer_ = false;
  std::string rest_;  // input that waits: an incomplete head, or requests behind an answer under way

  Plan plan_;
  http::Body body_;
  http::ChunkDecoder chunks_;
  std::unique_ptr<Echo> echo_;

  std::string_view out_;  // head, or a whole small answer; in the cache, or in held_
  std::string held_;
  std::uint64_t page_at_ = 0, page_end_ = 0;  // page bytes still to send
  PageBody page_;                             // that they are of; null: the pattern
  std::unique_ptr<net::Timer> delay_;         // where pages are delayed
};

}  // namespace lab::pages
