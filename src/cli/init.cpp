#include "commands.hpp"

#include "config/config.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

namespace lab::cli {

namespace {

struct Starter {
  std::filesystem::path path;
  std::string_view text;
};

// Never over a file that is there.
Result<void> write_new(const Starter& starter) {
  const std::string path = starter.path.string();
  std::FILE* file = std::fopen(path.c_str(), "wxe");
  if (file == nullptr) {
    const std::string remedy =
        errno == EEXIST ? "move it away, or name another folder: lab init DIR" : "name a folder that you may write to";
    return system_error("write " + path, errno, remedy);
  }
  const bool written = std::fwrite(starter.text.data(), 1, starter.text.size(), file) == starter.text.size();
  const int write_error = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed) {
    return {};
  }
  const int error = written ? errno : write_error;
  std::error_code ignored;
  std::filesystem::remove(starter.path, ignored);
  return system_error("write " + path, error, "make room, or name another folder");
}

// Both files or none.
Result<void> write_all(const std::filesystem::path& folder, const std::vector<Starter>& starters) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return system_error("create " + folder.string(), error.value(), "name a folder that you may write to");
  }
  for (std::size_t i = 0; i < starters.size(); ++i) {
    if (auto written = write_new(starters[i]); !written) {
      for (std::size_t j = 0; j < i; ++j) {
        std::filesystem::remove(starters[j].path, error);
      }
      return written.error();
    }
  }
  return {};
}

void init(Context& context, const std::filesystem::path& folder) {
  const Starter lab{folder / "lab.yaml", config::built_in("labs/starter.yaml")->text};
  const Starter playbook{folder / "playbook.yaml", config::built_in("playbooks/starter.yaml")->text};
  if (auto written = write_all(folder, {lab, playbook}); !written) {
    context.fail(written.error());
    return;
  }
  context.out << "wrote " << lab.path.string() << " and " << playbook.path.string() << '\n';
  if (!context.quiet) {
    context.out << "next: lab up " << lab.path.string() << ", then lab run " << playbook.path.string() << '\n';
  }
}

}  // namespace

void add_init(CLI::App& root, Context& context) {
  auto folder = std::make_shared<std::string>(".");
  CLI::App* command = root.add_subcommand("init", "writes a starter lab and playbook, commented");
  command->add_option("DIR", *folder, "where to; the current folder unless given");
  command->callback([folder, &context] { init(context, *folder); });
}

}  // namespace lab::cli
