// The pages that the gateway writes itself: built in, or as an administrator's files have them.
#pragma once

#include "lab/error.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lab::gateway {

// What a page may tell. In a page's text %ERROR_CODE%, %ERROR_TEXT%, %METHOD%, %URL% and %USERNAME% stand for it, escaped for HTML.
struct PageFacts {
  int status = 200;
  std::string_view text;  // why; may be empty
  std::string_view method, url, user;
};

class Pages {
 public:
  // `folder`: of login.html, login_success.html, logout.html, and NNN.html by status; empty: none. Read once.
  static Result<Pages> load(const std::string& folder);

  std::string error(const PageFacts& facts) const;  // also the body of a redirection
  std::string login(const PageFacts& facts) const;  // the form, and what was wrong with the last try
  std::string login_success(const PageFacts& facts) const;
  std::string logout(const PageFacts& facts) const;

 private:
  std::string make(const std::string& name, std::string_view built_in, const PageFacts& facts) const;
  std::map<std::string, std::string, std::less<>> files_;  // by name, without ".html"
};

}  // namespace lab::gateway
