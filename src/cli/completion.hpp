// Scripts that complete commands and options in a shell, made from the commands themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lab::cli {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);
std::string fish_completion(const CLI::App& root);

}  // namespace lab::cli
