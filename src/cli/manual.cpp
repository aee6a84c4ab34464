#include "manual.hpp"

#include "commands.hpp"
#include "commands_walk.hpp"
#include "lab/version.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

namespace lab::cli {

namespace {

// The character that begins at `at` in UTF-8, and past it.
std::pair<std::uint32_t, std::size_t> decoded(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
  for (std::size_t i = 1; i < length && at + i < text.size(); ++i) {
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
  }
  return {code, at + length};
}

// A dash that is typed, a backslash, what would be a request at a line's beginning, and what is not ASCII: groff(7).
std::string roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, next] = decoded(text, at);
    const char c = text[at];
    if (begins && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    out += code >= 0x80 ? fmt::format("\\[u{:04X}]", code) : c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    begins = c == '\n';
    at = next;
  }
  return out;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "N" of the library's "INT:N", where an option has no words of its own for its value.
std::string value_text(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_option_text().empty() ? type.substr(type.find(':') + 1) : option.get_option_text();
}

std::string names_text(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  }
  if (option.get_items_expected_min() > 0) {
    text += " \\fI" + roff(value_text(option)) + "\\fR";
  }
  return text;
}

std::string synopsis(const std::string& path, const CLI::App& app) {
  std::string text = "\\fB" + roff(path) + "\\fR";
  if (!named_options(app).empty()) {
    text += " [\\fIOPTION\\fR]...";
  }
  for (const CLI::Option* option : app.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
    const std::string name = "\\fI" + roff(option->get_name(true)) + "\\fR";
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text + (commands_below(app).empty() ? "" : " \\fICOMMAND\\fR");
}

std::string exit_codes() {
  return ".SH EXIT STATUS\n"
         ".TP\n\\fB0\\fR\nDone; cells that were skipped or flagged included.\n"
         ".TP\n\\fB1\\fR\nIt failed; a failed cell included.\n"
         ".TP\n\\fB2\\fR\nUsage, or a file in error.\n"
         ".TP\n\\fB3\\fR\nA threshold or claim that was asked for was missed.\n"
         ".TP\n\\fB130\\fR\nInterrupted.\n";
}

}  // namespace

std::string page_name(const std::string& path) {
  std::string name = path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string manual_page(const std::string& path, const CLI::App& app) {
  std::string out =
      fmt::format(".TH \"{}\" 1 \"\" \"lab {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", capitals(page_name(path)),
                  version(), roff(page_name(path)), roff(app.get_description()), synopsis(path, app));
  const auto positional = app.get_options([](const CLI::Option* one) { return one->get_positional(); });
  if (const auto named = named_options(app); !named.empty() || !positional.empty()) {
    out += ".SH OPTIONS\n";
    for (const CLI::Option* option : positional) {
      out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(option->get_name(true)), roff(option->get_description()));
    }
    for (const CLI::Option* option : named) {
      out += fmt::format(".TP\n{}\n{}\n", names_text(*option), roff(option->get_description()));
    }
  }
  if (const auto below = commands_below(app); !below.empty()) {
    out += ".SH COMMANDS\n";
    for (const CLI::App* command : below) {
      out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(page_name(path + " " + command->get_name())), roff(command->get_description()));
    }
  }
  if (std::string examples = app.get_footer(); !examples.empty()) {
    constexpr std::string_view heading = "Examples:\n";
    examples = examples.starts_with(heading) ? examples.substr(heading.size()) : examples;
    out += ".SH EXAMPLES\n.nf\n" + roff(examples) + "\n.fi\n";
  }
  return out + exit_codes();
}

namespace {

Result<void> write_all(const CLI::App& root, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Command& command : all_commands(root)) {
    const auto file = folder / (page_name(command.path) + ".1");
    std::ofstream out(file);
    out << manual_page(command.path, *command.app);
    out.close();
    if (!out) {
      return Error{"cannot write a manual page", file.string(), "give a folder that can be written to"};
    }
  }
  return {};
}

}  // namespace

void add_man(CLI::App& root, Context& context) {
  struct Options {
    std::vector<std::string> words;
    std::string folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("man", "manual pages: lab's own, a command's, or all of them as files");
  CLI::Option* words =
      command->add_option("COMMAND", options->words, "whose page is printed: run, or junction create; lab's own unless given");
  command->add_option("--all", options->folder, "write every page into this folder: lab.1, lab-run.1, ...")
      ->option_text("DIR")
      ->excludes(words);
  command->callback([options, &root, &context] {
    if (!options->folder.empty()) {
      if (auto written = write_all(root, options->folder); !written) {
        context.fail(written.error());
      }
      return;
    }
    std::string path = root.get_name();
    for (const std::string& word : options->words) {
      path += " " + word;
    }
    for (const Command& one : all_commands(root)) {
      if (one.path == path) {
        context.out << manual_page(one.path, *one.app);
        return;
      }
    }
    context.fail(Error{"there is no command `" + path + "`", {}, "`lab --help` has them all", {}, Failure::usage});
  });
}

}  // namespace lab::cli
