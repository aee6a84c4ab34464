#include "roles/pages/database.hpp"

#include <algorithm>
#include <utility>

namespace lab::pages {

namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{256} << 20U;  // bytes of all pages together

}  // namespace

Database::Database(net::Loop& loop, DatabaseClient settings) : loop_(loop), settings_(std::move(settings)) {}
Database::~Database() = default;

PageBody Database::get(std::uint64_t size, Asker& asker) {
  if (const auto kept = kept_.find(size); kept != kept_.end()) {
    return kept->second;
  }
  waiting_.push_back({size, &asker, false});
  serve_waiting();
  return nullptr;
}

void Database::forget(Asker& asker) {
  std::erase_if(waiting_, [&](const Request& request) { return request.asker == &asker; });
  for (const auto& line : lines_) {
    if (line->request.asker == &asker) {
      line->request.asker = nullptr;
    }
  }
}

void Database::serve_waiting() {
  while (!waiting_.empty()) {
    Line* line = free_line();
    if (line == nullptr && lines_.size() >= static_cast<std::size_t>(settings_.connections)) {
      return;
    }
    Request request = waiting_.front();
    waiting_.pop_front();
    const Result<Line*> given = line != nullptr ? Result<Line*>(line) : new_line();
    if (!given) {
      loop_.defer([alive = std::weak_ptr(alive_), request, error = given.error()] {
        if (!alive.expired() && request.asker != nullptr) {
          request.asker->no_page(error);
        }
      });
      continue;
    }
    (*given)->request = request;
    (*given)->connection->ask(request.size);
  }
}

// Last in, first out.
Database::Line* Database::free_line() {
  const auto found = std::find_if(lines_.rbegin(), lines_.rend(), [](const auto& line) { return line->connection->idle(); });
  return found == lines_.rend() ? nullptr : found->get();
}

Result<Database::Line*> Database::new_line() {
  const auto address = net::Address::resolve(settings_.server.host, settings_.server.port);
  auto socket = address ? net::connect_tcp(*address) : Result<net::Fd>(address.error());
  if (!socket) {
    return socket.error();
  }
  auto line = std::make_unique<Line>();
  line->connection = std::make_unique<DatabaseConnection>(loop_, settings_, *this, net::Stream(std::move(*socket)));
  lines_.push_back(std::move(line));
  return lines_.back().get();
}

Database::Line& Database::line_of(DatabaseConnection& connection) {
  return **std::find_if(lines_.begin(), lines_.end(), [&](const auto& line) { return line->connection.get() == &connection; });
}

// Kept until the events of this batch are through.
void Database::remove(DatabaseConnection& connection) {
  const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const auto& line) { return line->connection.get() == &connection; });
  loop_.defer([kept = std::shared_ptr<Line>(std::move(*found))] {});
  lines_.erase(found);
}

void Database::keep(std::uint64_t size, const PageBody& body) {
  if (settings_.cache && kept_bytes_ + size <= kMostKept && kept_.emplace(size, body).second) {
    kept_bytes_ += size;
  }
}

void Database::answered(DatabaseConnection& connection, PageBody body) {
  const Request request = std::exchange(line_of(connection).request, {});
  keep(request.size, body);
  serve_waiting();
  if (request.asker != nullptr) {
    request.asker->page_came(std::move(body));  // last: whoever is told may ask again
  }
}

void Database::lost(DatabaseConnection& connection, bool stale, const Error& error) {
  Request request = std::exchange(line_of(connection).request, {});
  remove(connection);
  Asker* const told = stale && !request.repeated ? nullptr : request.asker;
  if (told == nullptr && request.asker != nullptr) {
    request.repeated = true;
    waiting_.push_front(request);
  }
  serve_waiting();
  if (told != nullptr) {
    told->no_page(error);
  }
}

}  // namespace lab::pages
