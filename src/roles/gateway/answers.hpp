// What the gateway answers itself: small HTML, and the pages and files of local junctions.
#pragma once

#include "lab/roles.hpp"
#include "roles/gateway/channel.hpp"
#include "roles/gateway/local_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::gateway {

struct AnswerHead {
  int status = 200;
  std::string_view date;
  std::string_view extra;  // whole header lines
  int client_minor = 1;
  bool keep_alive = true;
  bool head_only = false;  // the request was HEAD
};

// An answer under way: text, then so many bytes of the page pattern.
class Answer {
 public:
  enum class Status { done, wait, failed };

  void html(const AnswerHead& head, std::string_view body);
  void page(const AnswerHead& head, std::uint64_t bytes);  // `lab pages` bodies
  void front_page(const AnswerHead& head);                 // exactly 100 bytes
  void file(const AnswerHead& head, LocalFile file);
  void no_content(const AnswerHead& head);  // 204: without Content-Length, RFC 9110 section 8.6

  Status run(Channel& sink);
  std::uint64_t body_bytes() const { return body_bytes_; }  // that the answer has
  std::uint64_t moved() const { return moved_; }            // bytes that sinks ever took
  std::string& text() { return text_; }                     // anything to be sent first goes in before
  void reset();

 private:
  void append_head(const AnswerHead& head, std::string_view type, std::optional<std::uint64_t> length);
  bool read_file();

  std::string text_;
  std::size_t text_sent_ = 0;
  std::uint64_t page_at_ = 0, page_end_ = 0;
  LocalFile file_;
  std::uint64_t file_at_ = 0;
  std::uint64_t body_bytes_ = 0, moved_ = 0;
};

// The size of a local junction's page: "/" has 100 bytes of its own, "/page/5939" the pattern's; nothing: 404.
struct LocalPage {
  bool front = false;
  std::uint64_t bytes = 0;
};
std::optional<LocalPage> find_local_page(std::string_view path);

}  // namespace lab::gateway
