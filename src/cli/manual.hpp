// Manual pages, made from the commands themselves: man(7) macros.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lab::cli {

// Of the root: lab(1); of a command: lab-run(1), lab-junction-create(1).
std::string page_name(const std::string& path);
std::string manual_page(const std::string& path, const CLI::App& app);

}  // namespace lab::cli
