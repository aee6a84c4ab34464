#include "usage.hpp"

#include "config/diagnostics.hpp"

#include <algorithm>

namespace lab::cli {

namespace {

std::string path_of(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

const CLI::App* find(const CLI::App& parent, const std::string& name) {
  const auto commands = parent.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
  return commands.empty() ? nullptr : commands.front();
}

std::vector<std::string> commands_of(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// Its own, and those of the commands above it, which it takes as well.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
  }
  return names;
}

// Whether the word after this one is the option's value.
bool takes_next(const CLI::App& command, const std::string& word) {
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent()) {
    if (const CLI::Option* option = at->get_option_no_throw(word)) {
      return option->get_items_expected_min() > 0;
    }
  }
  return false;
}

struct Place {  // how far the words name commands
  const CLI::App* command;
  std::string unknown;  // the first word after them that should have been a command
};

Place follow(const CLI::App& root, const std::vector<std::string>& arguments) {
  Place place{&root, {}};
  bool value = false;
  for (const std::string& word : arguments) {
    if (value || word.starts_with('-')) {
      value = !value && takes_next(*place.command, word);
      continue;
    }
    if (place.command->get_require_subcommand_min() == 0) {
      break;
    }
    const CLI::App* const next = find(*place.command, word);
    if (next == nullptr) {
      place.unknown = word;
      break;
    }
    place.command = next;
  }
  return place;
}

std::string unknown_option(const CLI::App& command, const std::vector<std::string>& arguments) {
  const auto known = options_of(command);
  for (const std::string& word : arguments) {
    std::string name = word.substr(0, word.find('='));
    if (word == "--") {
      break;
    }
    if (name.starts_with("--") && std::find(known.begin(), known.end(), name) == known.end()) {
      return name;
    }
  }
  return {};
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = config::nearest(word, known);
  return near.empty() ? std::string() : "did you mean `" + near + "`? ";
}

}  // namespace

Error usage_error(const CLI::App& root, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const Place place = follow(root, arguments);
  const std::string help = "`" + path_of(*place.command) + " --help` has them all";
  if (!place.unknown.empty()) {
    return {path_of(*place.command) + " has no command `" + place.unknown + "`",
            {},
            meant(place.unknown, commands_of(*place.command)) + help,
            {},
            Failure::usage};
  }
  if (const std::string option = unknown_option(*place.command, arguments); !option.empty()) {
    return {path_of(*place.command) + " has no option `" + option + "`",
            {},
            meant(option, options_of(*place.command)) + help,
            {},
            Failure::usage};
  }
  return {path_of(*place.command) + ": " + error.what(), {}, "`" + path_of(*place.command) + " --help` has examples", {}, Failure::usage};
}

}  // namespace lab::cli
