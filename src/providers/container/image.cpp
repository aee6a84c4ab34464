#include "providers/container/image.hpp"

#include "remote/sha256.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lab::providers::container {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRepository = "localhost/lab-node";
constexpr const char* kSuite = "bookworm";
constexpr std::size_t kTagDigits = 12;
constexpr const char* kLabel = "lab.image=node";  // on every image of ours, so that one that lost its name is known again

// Debian's database package would make a cluster at installation: each node makes its own.
constexpr const char* kNoCluster =
    R"(mkdir -p "$1/etc/postgresql-common" && echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf")";
// Host keys are the lab's, one set a node.
constexpr const char* kNoHostKeys = R"(rm -f "$1"/etc/ssh/ssh_host_*)";

std::string joined(const std::vector<std::string>& words, char separator) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : std::string(1, separator)) + word;
  }
  return text;
}

std::string sha256_of(const std::string& text) {
  remote::Sha256 digest;
  digest.add(text);
  return digest.hex();
}

// A folder of its own, gone with it.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code ignored;
    std::string name = (fs::temp_directory_path(ignored) / "lab-image-XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Result<void> from_packages(const Engine& engine, const Host& host, const ImageBuild& how, const fs::path& folder, Deadline deadline) {
  const auto program = host.find_program("mmdebstrap");
  if (!program) {
    return Error{"mmdebstrap is not installed", "lab image build", "apt-get install mmdebstrap; or start from an image: --from debian:12"};
  }
  const std::string tar = (folder / "root.tar").string();
  std::vector<std::string> command{*program};
  const auto arguments = mmdebstrap_arguments(tar);
  command.insert(command.end(), arguments.begin(), arguments.end());
  how.tell("installing " + std::to_string(image_packages().size()) + " packages and what they need");
  const auto made = host.execute(command, deadline);
  if (!made) {
    return made.error();
  }
  if (made->exit != 0) {
    return Error{"mmdebstrap fails with exit code " + std::to_string(made->exit), "lab image build",
                 "is the package archive reachable? as an ordinary user it needs lines in /etc/subuid and /etc/subgid", made->err};
  }
  how.tell("handing it to " + engine.name());
  const auto imported = engine.run({"import", "--change", std::string("LABEL ") + kLabel, tar, image_name()}, deadline);
  return imported ? Result<void>() : imported.error();
}

Result<void> from_image(const Engine& engine, const ImageBuild& how, const fs::path& folder, Deadline deadline) {
  const fs::path file = folder / "Containerfile";
  std::ofstream(file) << containerfile(how.from);
  how.tell("building on " + how.from);
  std::vector<std::string> words{"build", "--network", "host", "-t", image_name(), "-f", file.string()};
  if (engine.kind() == EngineKind::podman) {
    words.emplace_back("--layers=false");  // no cache of steps: it would be images without a name
  }
  words.push_back(folder.string());
  const auto built = engine.run(words, deadline);
  return built ? Result<void>()
               : Error{built.error().what, "lab image build --from " + how.from,
                       "is the image there, or its registry reachable? it must be a Debian", built.error().detail};
}

}  // namespace

const std::vector<std::string>& image_packages() {
  static const std::vector<std::string> all{"openssh-server", "iproute2", "nftables", "procps", "haproxy", "nginx-light", "postgresql-15"};
  return all;
}

std::vector<std::string> mmdebstrap_arguments(const std::string& tar) {
  return {"--quiet",
          "--variant=minbase",
          "--include=" + joined(image_packages(), ','),
          "--dpkgopt=force-unsafe-io",
          "--dpkgopt=path-exclude=/usr/share/doc/*",
          "--dpkgopt=path-exclude=/usr/share/man/*",
          "--dpkgopt=path-exclude=/usr/share/locale/*",
          "--aptopt=Acquire::Languages \"none\"",
          std::string("--essential-hook=") + kNoCluster,
          std::string("--customize-hook=") + kNoHostKeys,
          kSuite,
          tar};
}

// What is there already is not asked for again, so that an image with everything in it needs no archive.
std::string containerfile(const std::string& from) {
  const std::string packages = joined(image_packages(), ' ');
  return "FROM " + from + "\nLABEL " + kLabel + "\nRUN mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > " +
         "/etc/postgresql-common/createcluster.conf && { dpkg-query -W " + packages +
         " >/dev/null 2>&1 || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends " + packages +
         " && rm -rf /var/lib/apt/lists/*; }; } && rm -f /etc/ssh/ssh_host_*\n";
}

std::string image_name() {
  const std::string recipe = joined(mmdebstrap_arguments(""), '\n') + "\n" + containerfile("");
  return std::string(kRepository) + ":" + sha256_of(recipe).substr(0, kTagDigits);
}

Result<bool> has_image(const Engine& engine, const std::string& name, Deadline deadline) {
  const auto asked = engine.attempt({"image", "inspect", "--format", "{{.Id}}", name}, deadline);
  return asked ? Result<bool>(asked->exit == 0) : asked.error();
}

Result<Image> build_image(const Engine& engine, const Host& host, const ImageBuild& how, Deadline deadline) {
  const Image image{image_name(), true};
  const auto there = has_image(engine, image.name, deadline);
  if (!there) {
    return there.error();
  }
  if (*there && !how.again) {
    return Image{image.name, false};
  }
  const WorkFolder folder;
  if (folder.path().empty()) {
    return system_error("make a folder for the image", errno, "free some disk space, or set TMPDIR");
  }
  const auto built =
      how.from.empty() ? from_packages(engine, host, how, folder.path(), deadline) : from_image(engine, how, folder.path(), deadline);
  return built ? Result<Image>(image) : built.error();
}

Result<std::vector<std::string>> outdated_images(const Engine& engine, Deadline deadline) {
  const auto listed = engine.run({"images", "--format", "{{.Repository}}:{{.Tag}}", kRepository}, deadline);
  if (!listed) {
    return listed.error();
  }
  auto names = lines_of(*listed);
  // Podman names an image by all its names, others' included.
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with(std::string(kRepository) + ":") || name == image_name() || name.ends_with(":<none>");
  });
  const auto nameless =
      engine.run({"images", "--quiet", "--filter", "dangling=true", "--filter", std::string("label=") + kLabel}, deadline);
  if (!nameless) {
    return nameless.error();
  }
  const auto ids = lines_of(*nameless);
  names.insert(names.end(), ids.begin(), ids.end());
  return names;
}

}  // namespace lab::providers::container
