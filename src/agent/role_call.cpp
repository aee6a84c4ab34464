#include "agent/role_call.hpp"

#include "agent/unix_socket.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <utility>

namespace lab::agent {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class RoleCall : public std::enable_shared_from_this<RoleCall> {
 public:
  RoleCall(asio::io_context& loop, int socket, std::string request, Reply reply)
      : socket_(loop, asio::local::stream_protocol(), socket), timer_(loop), request_(std::move(request)), reply_(std::move(reply)) {}

  void run(Deadline deadline) {
    timer_.expires_at(deadline);
    timer_.async_wait([self = shared_from_this()](error_code failure) {
      if (!failure) {
        self->finish(Error{"the role does not answer in time", {}, {}});
      }
    });
    asio::async_write(socket_, asio::buffer(request_), [self = shared_from_this()](error_code failure, std::size_t) {
      if (failure) {
        return self->finish(Error{"ask the role: " + failure.message(), {}, {}});
      }
      self->read();
    });
  }

 private:
  void read() {
    asio::async_read_until(socket_, asio::dynamic_buffer(line_, kLineLimit), '\n',
                           [self = shared_from_this()](error_code failure, std::size_t length) {
                             if (failure) {
                               return self->finish(Error{"hear the role: " + failure.message(), {}, {}});
                             }
                             auto response = parse_response(std::string_view(self->line_).substr(0, length));
                             self->finish(response ? std::move(response->result) : Result<boost::json::value>(response.error()));
                           });
  }

  void finish(Result<boost::json::value> outcome) {
    timer_.cancel();
    error_code ignored;
    static_cast<void>(socket_.close(ignored));
    if (const Reply reply = std::exchange(reply_, nullptr)) {
      reply(std::move(outcome));
    }
  }

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer timer_;
  std::string request_;
  std::string line_;
  Reply reply_;
};

}  // namespace

void call_role(asio::io_context& loop, const std::string& socket, const std::string& method, const boost::json::object& params,
               Deadline deadline, Reply reply) {
  auto connected = connect_unix(socket);
  if (!connected) {
    return reply(connected.error());
  }
  std::make_shared<RoleCall>(loop, connected->release(), request_line(1, method, params), std::move(reply))->run(deadline);
}

}  // namespace lab::agent
