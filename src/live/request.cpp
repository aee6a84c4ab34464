#include "live/request.hpp"

#include "embedded_live.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/json.hpp>

namespace lab::live {

namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kStrict =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
// The report is one file, with its style and script in it.
constexpr const char* kReport =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

Text text(std::string value) { return std::make_shared<const std::string>(std::move(value)); }

std::string asset(std::string_view ending) {
  const auto files = embedded_live();
  const auto file = std::ranges::find_if(files, [&](const EmbeddedFile& each) { return each.name.ends_with(ending); });
  return file == files.end() ? std::string() : std::string(file->text);
}

Reply refusal(unsigned status, std::string why) { return {status, kPlain, kStrict, text(std::move(why) + "\n"), false}; }

std::string_view reason(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 421: return "Misdirected Request";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

// A link from another site may lead here; its scripts, frames and images may not.
bool cross_site(const Request& request) {
  const bool other = request.fetch_site == "cross-site" || request.fetch_site == "same-site";
  return other && !(request.fetch_mode == "navigate" && request.target == "/");
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

bool trusted_host(std::string_view host, std::string_view own_name) {
  const bool bracketed = host.starts_with('[');
  const auto end = bracketed ? host.find(']') : host.rfind(':');
  const std::string_view name = host.substr(bracketed ? 1 : 0, end == std::string_view::npos ? end : end - (bracketed ? 1 : 0));
  boost::system::error_code failed;
  boost::asio::ip::make_address(name, failed);
  return !name.empty() && (!failed || same_name(name, "localhost") || (!own_name.empty() && same_name(name, own_name)));
}

Reply reply_to(const Request& request, const Content& content) {
  if (!trusted_host(request.host, content.own_name)) {
    return refusal(421, "This is not the server of that name: use its numeric address.");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return refusal(405, "The live view is to be read: GET or HEAD.");
  }
  if (cross_site(request)) {
    return refusal(403, "Pages of other sites get nothing from here.");
  }
  const std::string target = request.target.substr(0, request.target.find('?'));
  if (target == "/") {
    return content.report ? Reply{200, "text/html; charset=utf-8", kReport, content.report, false}
                          : Reply{200, "text/html; charset=utf-8", kStrict, text(asset("live.html")), false};
  }
  if (target == "/live.js") {
    return {200, "text/javascript; charset=utf-8", kStrict, text(asset("live.js")), false};
  }
  if (target == "/live.css") {
    return {200, "text/css; charset=utf-8", kStrict, text(asset("palette.css") + asset("live.css")), false};
  }
  if (target == "/state") {
    return {200, "application/json", kStrict, text(boost::json::serialize(content.feed.state()) + "\n"), false};
  }
  if (target == "/events") {
    return {200, "text/event-stream", kStrict, text(request.method == "GET" ? content.feed.opening() : ""), request.method == "GET"};
  }
  return refusal(404, "There is /, /state and /events.");
}

std::string head_of(const Reply& reply) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", reply.status, reason(reply.status), reply.content_type);
  if (!reply.events) {
    head += fmt::format("Content-Length: {}\r\n", reply.body ? reply.body->size() : 0);
  }
  if (reply.status == 405) {
    head += "Allow: GET, HEAD\r\n";
  }
  return head + "Content-Security-Policy: " + reply.policy +
         "\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "X-Frame-Options: DENY\r\n"
         "Referrer-Policy: no-referrer\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\n"
         "Cross-Origin-Opener-Policy: same-origin\r\n"
         "Cache-Control: no-store\r\n"
         "Connection: close\r\n\r\n";
}

}  // namespace lab::live
