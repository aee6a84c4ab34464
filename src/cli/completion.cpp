#include "completion.hpp"

#include "commands.hpp"
#include "commands_walk.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <memory>

namespace lab::cli {

namespace {

// "lab/junction/create": one word, as the scripts compare it.
std::string key_of(const Command& command) {
  std::string key = command.path;
  std::replace(key.begin(), key.end(), ' ', '/');
  return key;
}

std::string known(const std::vector<Command>& commands) {
  std::string keys = " ";
  for (const Command& command : commands) {
    keys += key_of(command) + " ";
  }
  return keys;
}

// Within single quotes of a shell, and on one line.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' ? " " : c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out;
}

std::string before_colon(const std::string& text) {  // zsh: the first colon ends the word
  std::string out;
  for (const char c : text) {
    out += c == ':' ? "\\:" : std::string(1, c);
  }
  return out;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  return names;
}

std::string words_of(const CLI::App& app) {
  std::string words;
  for (const CLI::App* below : commands_below(app)) {
    words += below->get_name() + " ";
  }
  for (const CLI::Option* option : named_options(app)) {
    for (const std::string& name : names_of(*option)) {
      words += name + " ";
    }
  }
  return words;
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
  const auto commands = all_commands(root);
  std::string out = fmt::format(R"(# bash completion for lab
_lab() {{
  local at=lab i words=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case '{}' in *" $at/${{COMP_WORDS[i]}} "*) at=$at/${{COMP_WORDS[i]}} ;; esac
  done
  case $at in
)",
                                known(commands));
  for (const Command& command : commands) {
    out += fmt::format("    {}) words='{}' ;;\n", key_of(command), quoted(words_of(*command.app)));
  }
  return out + R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _lab lab
)";
}

std::string zsh_completion(const CLI::App& root) {
  const auto commands = all_commands(root);
  std::string out = fmt::format(R"(#compdef lab
_lab() {{
  local at=lab word
  local -a below options
  for word in $words[2,CURRENT-1]; do
    [[ '{}' == *" $at/$word "* ]] && at=$at/$word
  done
  case $at in
)",
                                known(commands));
  for (const Command& command : commands) {
    out += "    " + key_of(command) + ")\n      below=(";
    for (const CLI::App* below : commands_below(*command.app)) {
      out += fmt::format(" '{}:{}'", below->get_name(), quoted(below->get_description()));
    }
    out += ")\n      options=(";
    for (const CLI::Option* option : named_options(*command.app)) {
      for (const std::string& name : names_of(*option)) {
        out += fmt::format(" '{}:{}'", quoted(before_colon(name)), quoted(option->get_description()));
      }
    }
    out += ") ;;\n";
  }
  return out + R"(  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option options
  elif (( $#below )); then
    _describe command below
  else
    _files
  fi
}
_lab "$@"
)";
}

std::string fish_completion(const CLI::App& root) {
  const auto commands = all_commands(root);
  std::string out = fmt::format(R"(# fish completion for lab
function __lab_at
  set -l at lab
  for word in (commandline -opc)[2..]
    if string match -q -- "* $at/$word *" '{}'
      set at $at/$word
    end
  end
  test $at = $argv[1]
end
)",
                                known(commands));
  for (const Command& command : commands) {
    const std::string here = fmt::format("complete -c lab -n '__lab_at {}'", key_of(command));
    for (const CLI::App* below : commands_below(*command.app)) {
      out += fmt::format("{} -f -a '{}' -d '{}'\n", here, below->get_name(), quoted(below->get_description()));
    }
    for (const CLI::Option* option : named_options(*command.app)) {
      std::string names;
      for (const std::string& name : option->get_lnames()) {
        names += " -l " + name;
      }
      for (const std::string& name : option->get_snames()) {
        names += " -s " + name;
      }
      const char* value = option->get_items_expected_min() > 0 ? " -r" : "";
      out += fmt::format("{}{}{} -d '{}'\n", here, names, value, quoted(option->get_description()));
    }
  }
  return out;
}

void add_completion(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand("completion", "a script that completes commands and options in your shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &root, &context] {
    context.out << (*shell == "bash" ? bash_completion(root) : *shell == "zsh" ? zsh_completion(root) : fish_completion(root));
  });
}

}  // namespace lab::cli
