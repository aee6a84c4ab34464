// YAML (and JSON) to checked values with positions. All errors of a file at once, each with file:line:col, the line and a caret.
#pragma once

#include "lab/embedded.hpp"
#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "lab/playbook.hpp"
#include "lab/roles.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lab::config {

// `path` is for messages only.
Result<Lab, Errors> parse_lab(std::string_view text, const std::string& path);
Result<Playbook, Errors> parse_playbook(std::string_view text, const std::string& path);
// Whichever it is, told by its key `lab` or `playbook`.
Result<std::variant<Lab, Playbook>, Errors> parse_any(std::string_view text, const std::string& path);
Result<GatewayConfig, Errors> parse_gateway(std::string_view text, const std::string& path);
Result<Junction, Errors> parse_junction(std::string_view text, const std::string& path);  // one of a gateway's file
Result<DirectoryConfig, Errors> parse_directory(std::string_view text, const std::string& path);
// A list alone, or under the key `faults`: what a running directory is given anew.
Result<std::vector<Fault>, Errors> parse_faults(std::string_view text, const std::string& path);
Result<PagesConfig, Errors> parse_pages(std::string_view text, const std::string& path);
Result<DatabaseConfig, Errors> parse_database(std::string_view text, const std::string& path);
Result<GuestConfig, Errors> parse_guest(std::string_view text, const std::string& path);
Result<LoadConfig, Errors> parse_load(std::string_view text, const std::string& path);

// As files that the parsers above read back to the same value.
boost::json::object to_json(const GatewayConfig& config);
boost::json::object to_json(const Junction& junction);
boost::json::object to_json(const DirectoryConfig& config);
boost::json::object to_json(const PagesConfig& config);
boost::json::object to_json(const DatabaseConfig& config);
boost::json::object to_json(const GuestConfig& config);
boost::json::object to_json(const LoadConfig& config);

// A file's text; at most 4 MiB. Errors name the path and the remedy.
Result<std::string> read_file(const std::filesystem::path& path);

// LAB and PLAYBOOK arguments: a path when it is one (has a '/' or ends in .yaml), else a built-in's name.
Result<Lab, Errors> load_lab(const std::string& name_or_path);
Result<Playbook, Errors> load_playbook(const std::string& name_or_path);

// What is embedded in the binary: labs/NAME.yaml and playbooks/NAME.yaml.
std::span<const EmbeddedFile> built_ins();
const EmbeddedFile* built_in(std::string_view name);  // "labs/local.yaml"; nullptr: there is none

// Across both files: servers and roles that a playbook names must be in the lab. Positions are the playbook's.
Errors check_against(const Playbook& playbook, const Lab& lab);

}  // namespace lab::config
