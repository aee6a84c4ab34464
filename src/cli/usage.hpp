// What is said of a command line that is none.
#pragma once

#include "lab/error.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lab::cli {

// Of a parse that failed: the word that is not known with what it may have meant, else the library's own words; and where help is.
Error usage_error(const CLI::App& root, const CLI::ParseError& error, const std::vector<std::string>& arguments);

}  // namespace lab::cli
