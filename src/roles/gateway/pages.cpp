#include "roles/gateway/pages.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxPage = 256 * 1024;

constexpr std::string_view kError =
    "<!doctype html><title>%ERROR_CODE% %REASON%</title><h1>%ERROR_CODE% %REASON%</h1><p>%ERROR_TEXT%</p>\n";
constexpr std::string_view kLogin =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Log in</title><h1>Log in</h1><p role=\"alert\">%ERROR_TEXT%</p>"
    "<form method=\"post\" action=\"/pkmslogin.form\"><p><label>User <input name=\"username\" autocomplete=\"username\"></label>"
    "<p><label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\"></label>"
    "<input type=\"hidden\" name=\"login-form-type\" value=\"pwd\"><p><button>Log in</button></form></html>\n";
constexpr std::string_view kLoginSuccess = "<!doctype html><title>Logged in</title><h1>Logged in</h1><p>You are %USERNAME%.</p>\n";
constexpr std::string_view kLogout = "<!doctype html><title>Logged out</title><h1>Logged out</h1><p>%USERNAME% has logged out.</p>\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string fill_in(std::string_view page, const PageFacts& facts) {
  const std::string code = std::to_string(facts.status);
  const std::array<std::pair<std::string_view, std::string_view>, 6> values{{{"%ERROR_CODE%", code},
                                                                             {"%REASON%", http::reason_phrase(facts.status)},
                                                                             {"%ERROR_TEXT%", facts.text},
                                                                             {"%METHOD%", facts.method},
                                                                             {"%URL%", facts.url},
                                                                             {"%USERNAME%", facts.user}}};
  std::string out;
  while (!page.empty()) {
    const auto percent = page.find('%');
    out += page.substr(0, percent);
    page.remove_prefix(std::min(percent, page.size()));
    const auto found =
        std::find_if(values.begin(), values.end(), [page](const auto& value) { return !page.empty() && page.starts_with(value.first); });
    if (found != values.end()) {
      out += escaped(found->second);
      page.remove_prefix(found->first.size());
    } else if (!page.empty()) {
      out += '%';
      page.remove_prefix(1);
    }
  }
  return out;
}

bool is_page(const std::string& name) {
  const bool status = name.size() == 3 && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return status || name == "login" || name == "login_success" || name == "logout";
}

}  // namespace

Result<Pages> Pages::load(const std::string& folder) {
  Pages pages;
  if (folder.empty()) {
    return pages;
  }
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".html" || !is_page(name)) {
      continue;
    }
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (text.str().empty() || text.str().size() > kMaxPage) {
      return Error{"page " + entry.path().string() + " cannot be used", {}, "give it text, 256 KiB at most", {}, Failure::usage};
    }
    pages.files_[name] = text.str();
  }
  if (unreadable) {
    return Error{
        "cannot read the pages in " + folder + ": " + unreadable.message(), {}, "name a folder that can be read", {}, Failure::usage};
  }
  return pages;
}

std::string Pages::make(const std::string& name, std::string_view built_in, const PageFacts& facts) const {
  const auto found = files_.find(name);
  return fill_in(found == files_.end() ? built_in : std::string_view{found->second}, facts);
}

std::string Pages::error(const PageFacts& facts) const { return make(std::to_string(facts.status), kError, facts); }
std::string Pages::login(const PageFacts& facts) const { return make("login", kLogin, facts); }
std::string Pages::login_success(const PageFacts& facts) const { return make("login_success", kLoginSuccess, facts); }
std::string Pages::logout(const PageFacts& facts) const { return make("logout", kLogout, facts); }

}  // namespace lab::gateway
