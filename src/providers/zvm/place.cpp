#include "providers/zvm/place.hpp"

#include "config/config.hpp"
#include "store/files.hpp"
#include "store/read.hpp"

#include <sys/stat.h>
#include <boost/json.hpp>
#include <cstdlib>

namespace lab::providers::zvm {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

fs::path file_of(const fs::path& state) { return state / "feilong.json"; }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string expanded(const std::string& path) { return path.starts_with("~/") ? variable("HOME") + path.substr(1) : path; }

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return line;
}

}  // namespace

Result<Address> parse_url(const std::string& url) {
  const auto wrong = [&] {
    return Error{url + " is no URL of a REST interface", "`url` under `feilong`", "write it like http://zvm.example:8080"};
  };
  const std::size_t scheme = url.find("://");
  Address address;
  address.tls = url.starts_with("https://");
  if (scheme == std::string::npos || (!address.tls && !url.starts_with("http://"))) {
    return wrong();
  }
  std::string rest = url.substr(scheme + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.path = rest.substr(slash);
  address.path.erase(address.path.find_last_not_of('/') + 1);
  rest.resize(slash);
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string::npos;
  const std::size_t colon = rest.find(':', bracket == std::string::npos ? 0 : bracket);
  address.host = bracket == std::string::npos ? rest.substr(0, colon) : rest.substr(1, bracket - 1);
  address.port = colon == std::string::npos ? (address.tls ? "443" : "8080") : rest.substr(colon + 1);
  const bool port = !address.port.empty() && address.port.find_first_not_of("0123456789") == std::string::npos;
  return !address.host.empty() && port ? Result<Address>(std::move(address)) : wrong();
}

Result<std::string> admin_token(const FeilongAccess& access) {
  if (access.token_file.empty()) {
    return variable(kTokenVariable);
  }
  const std::string path = expanded(access.token_file);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return Error{"the admin token is not there", path, "write it there (chmod 600), or give it in " + std::string(kTokenVariable)};
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error{"the admin token may be read by others", path, "chmod 600 " + path};
  }
  const auto text = config::read_file(path);
  if (!text) {
    return text.error();
  }
  std::string token = first_line(*text);
  return token.empty() ? Result<std::string>(Error{"the admin token's file is empty", path, "write the token on its first line"})
                       : Result<std::string>(std::move(token));
}

std::optional<FeilongAccess> access_of(const Lab& lab, const fs::path& state) {
  if (!lab.feilong.url.empty()) {
    return lab.feilong;
  }
  FeilongAccess access;
  if (const auto text = config::read_file(file_of(state).string())) {
    boost::system::error_code failed;
    const json::value value = json::parse(*text, failed);
    if (!failed && value.is_object()) {
      access.url = store::text_of(value.get_object(), "url");
      access.token_file = store::text_of(value.get_object(), "token_file");
      access.ca_file = store::text_of(value.get_object(), "ca_file");
    }
  }
  if (access.url.empty()) {
    access.url = variable(kUrlVariable);
  }
  return access.url.empty() ? std::nullopt : std::optional(access);
}

Result<void> save(const fs::path& state, const FeilongAccess& access) {
  const json::object object{{"url", access.url}, {"token_file", access.token_file}, {"ca_file", access.ca_file}};
  return store::write_atomically(file_of(state), json::serialize(object) + "\n");
}

Result<std::unique_ptr<Feilong>> open_feilong(const FeilongAccess& access, const MakeTransport& make, const Pause& pause) {
  const auto address = parse_url(access.url);
  if (!address) {
    return address.error();
  }
  auto token = admin_token(access);
  if (!token) {
    return token.error();
  }
  return std::make_unique<Feilong>(make(*address, expanded(access.ca_file)), access.url, std::move(*token), pause);
}

}  // namespace lab::providers::zvm
