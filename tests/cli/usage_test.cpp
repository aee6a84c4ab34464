#include "cli/usage.hpp"

#include "cli/commands_walk.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/root.hpp"

#include <catch2/catch.hpp>

#include <sstream>

using namespace lab;

namespace {

struct CommandLine {
  Interrupt interrupt;
  std::ostringstream out, err;
  cli::Context context{out, err, interrupt};
  std::unique_ptr<CLI::App> root = cli::make_root(context);

  // What is said of words that are no command line.
  std::string complaint(std::vector<std::string> words) {
    try {
      root->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
      return to_string(cli::usage_error(*root, error, words));
    }
    return "none";
  }
};

}  // namespace

TEST_CASE("a mistyped command is told with the one that was meant") {
  CHECK(CommandLine().complaint({"upp"}) == "lab has no command `upp`\n  did you mean `up`? `lab --help` has them all");
  CHECK(CommandLine().complaint({"-q", "xyzzy"}) == "lab has no command `xyzzy`\n  `lab --help` has them all");
  CHECK(CommandLine().complaint({"junction", "--control", "gw.sock", "creat"}) ==
        "lab junction has no command `creat`\n  did you mean `create`? `lab junction --help` has them all");
}

TEST_CASE("a mistyped option is told with the one that was meant, of the command or of all commands") {
  CHECK(CommandLine().complaint({"run", "--profil=quick"}) ==
        "lab run has no option `--profil`\n  did you mean `--profile`? `lab run --help` has them all");
  CHECK(CommandLine().complaint({"run", "--queit"}) ==
        "lab run has no option `--queit`\n  did you mean `--quiet`? `lab run --help` has them all");
}

TEST_CASE("other faults keep their words, and say where help is") {
  CHECK(CommandLine().complaint({}) == "lab: A subcommand is required\n  `lab --help` has examples");
  CHECK(CommandLine().complaint({"load", "http://127.0.0.1:1/", "--poisson"}) ==
        "lab load: --poisson requires --rate\n  `lab load --help` has examples");
}

TEST_CASE("every command of the root has examples, which call it") {
  const CommandLine line;
  for (const CLI::App* command : cli::commands_below(*line.root)) {
    CAPTURE(command->get_name());
    CHECK(command->get_footer().find("Examples:\n") == 0);
    CHECK(command->get_footer().find("lab " + command->get_name()) != std::string::npos);
  }
}

TEST_CASE("every command and every option is completed, in each shell") {
  const CommandLine line;
  const std::string bash = cli::bash_completion(*line.root), zsh = cli::zsh_completion(*line.root), fish = cli::fish_completion(*line.root);
  for (const cli::Command& command : cli::all_commands(*line.root)) {
    CAPTURE(command.path);
    std::string key = command.path;
    std::replace(key.begin(), key.end(), ' ', '/');
    CHECK(bash.find("    " + key + ") words='") != std::string::npos);
    CHECK(zsh.find("    " + key + ")\n") != std::string::npos);
    CHECK(fish.find("'__lab_at " + key + "'") != std::string::npos);
  }
  CHECK(bash.find(" --fail-if-claims ") != std::string::npos);
  CHECK(zsh.find("'--fail-if-claims:exit with 3 when a claim differs'") != std::string::npos);
  CHECK(fish.find("-l fail-if-claims -d 'exit with 3 when a claim differs'") != std::string::npos);
}

TEST_CASE("a manual page has a command's options, examples and exit codes, safe for troff") {
  const CommandLine line;
  for (const cli::Command& command : cli::all_commands(*line.root)) {
    CAPTURE(command.path);
    const std::string page = cli::manual_page(command.path, *command.app);
    CHECK(page.find(".SH EXIT STATUS\n") != std::string::npos);
    CHECK(std::all_of(page.begin(), page.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    for (const CLI::Option* option : cli::named_options(*command.app)) {
      CHECK(!option->get_description().empty());
      for (std::string name : option->get_lnames()) {
        for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2)) {
          name.insert(at, "\\");
        }
        CHECK(page.find("\\-\\-" + name + "\\fR") != std::string::npos);
      }
    }
  }
  const std::string run = cli::manual_page("lab run", *line.root->get_subcommand("run"));
  CHECK(run.find(".TH \"LAB-RUN\" 1") == 0);
  CHECK(run.find("\\fBlab run\\fR [\\fIOPTION\\fR]... [\\fIPLAYBOOK\\fR]\n") != std::string::npos);
  CHECK(run.find(".TP\n\\fB\\-\\-fail\\-if\\-claims\\fR\nexit with 3 when a claim differs\n") != std::string::npos);
  CHECK(run.find(".SH EXAMPLES\n.nf\n  lab run ") != std::string::npos);
}
