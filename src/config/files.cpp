// Files by path or by built-in name.
#include "config/config.hpp"
#include "config/diagnostics.hpp"
#include "config/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace lab::config {

namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) {
      ::close(fd);
    }
  }
};

Error usage(Error error) {
  error.failure = Failure::usage;
  return error;
}

bool is_path(const std::string& text) { return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml"); }

std::vector<std::string> built_in_names(std::string_view folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : built_ins()) {
    if (file.name.starts_with(folder)) {
      names.emplace_back(file.name.substr(folder.size(), file.name.size() - folder.size() - std::string_view(".yaml").size()));
    }
  }
  return names;
}

template <class T>
Result<T, Errors> load(const std::string& name_or_path, const std::string& folder,
                       Result<T, Errors> (*parse)(std::string_view, const std::string&)) {
  if (!is_path(name_or_path)) {
    const std::string name = folder + name_or_path + ".yaml";
    if (const EmbeddedFile* file = built_in(name)) {
      return parse(file->text, name);
    }
    const auto names = built_in_names(folder);
    const std::string near = nearest(name_or_path, names);
    return Errors{Error{"nothing called " + shown(name_or_path) + " is built in",
                        {},
                        (near.empty() ? "built in: " + join(names) : "did you mean `" + near + "`?") + "; a file is given by its path, ./" +
                            name_or_path + ".yaml",
                        {},
                        Failure::usage}};
  }
  const auto text = read_file(name_or_path);
  return text ? parse(*text, name_or_path) : Errors{text.error()};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    const bool absent = errno == ENOENT;
    return usage(
        system_error("open " + path.string(), errno, absent ? "look at its name, or write a starter with `lab init`" : "make it readable"));
  }
  struct stat status {};
  if (::fstat(file.fd, &status) != 0 || S_ISDIR(status.st_mode)) {
    return Error{path.string() + " is a directory", {}, "name a file in it", {}, Failure::usage};
  }
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(file.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return usage(system_error("read " + path.string(), errno, "name a plain file"));
    }
    if (got == 0) {
      return text;
    }
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMostBytes) {
      return Error{path.string() + " is larger than 4 MiB", {}, "split it, or name another file", {}, Failure::usage};
    }
  }
}

Result<std::variant<Lab, Playbook>, Errors> parse_any(std::string_view text, const std::string& path) {
  using Any = std::variant<Lab, Playbook>;
  Diagnostics errors(text, path);
  const auto root = parse_document(text, errors);
  if (!root) {
    return errors.take();
  }
  const std::string first = root->entries.empty() ? std::string() : root->entries.front().key;
  const auto is = [&](const std::string& key) { return root->entry(key) != nullptr || nearest(first, {"lab", "playbook"}) == key; };
  if (is("lab")) {
    auto lab = parse_lab(text, path);
    return lab ? Result<Any, Errors>(std::move(*lab)) : lab.error();
  }
  if (is("playbook")) {
    auto playbook = parse_playbook(text, path);
    return playbook ? Result<Any, Errors>(std::move(*playbook)) : playbook.error();
  }
  errors.add(root->mark, "neither a lab nor a playbook", "begin with `lab: NAME` or `playbook: NAME`", root->width());
  return errors.take();
}

Result<Lab, Errors> load_lab(const std::string& name_or_path) { return load<Lab>(name_or_path, "labs/", parse_lab); }

Result<Playbook, Errors> load_playbook(const std::string& name_or_path) {
  return load<Playbook>(name_or_path, "playbooks/", parse_playbook);
}

}  // namespace lab::config
