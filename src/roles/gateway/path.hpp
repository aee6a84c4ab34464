// The one form of a request's path that is judged, routed and forwarded (RFC 3986 section 6.2.2).
#pragma once

#include <string>
#include <string_view>

namespace lab::gateway {

struct NormalPath {
  std::string path;                // "/a/b c" comes as "/a/b%20c"; begins with '/'
  std::string without_parameters;  // as access rules see it: "/a;x/b" is "/a/b"; empty where the path has no ';'
  std::string_view query;          // with its '?'; a view into the target; may be empty

  std::string_view judged() const { return without_parameters.empty() ? path : without_parameters; }
};

// From a request target in origin or absolute form. Unreserved characters are decoded, other escapes are kept in upper case,
// what may not stand in a path is escaped, "//", "/./" and "/../" are resolved. false for what back ends could read in
// different ways: %2F, %5C, '\', control characters, bad escapes, a "/../" above the root, dot segments with parameters.
bool normalise_path(std::string_view target, NormalPath& result);

// Is `path` at or below `prefix`, on a segment's boundary? The prefix has no '/' at its end; "" is the root.
bool is_below(std::string_view path, std::string_view prefix);

// How paths are compared: -i junctions take letters of either case for the same.
enum class Letters { exact, any_case };
bool is_below(std::string_view path, std::string_view prefix, Letters letters);

// A configured path ("/app/", "/a b") in the form that normalise_path gives, without '/' at its end: "/app", "" for the root.
std::string normal_prefix(std::string_view path);

}  // namespace lab::gateway
