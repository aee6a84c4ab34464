#include "providers/container/image.hpp"

#include "commands.hpp"
#include "progress.hpp"

#include <memory>

namespace lab::cli {

namespace {

namespace container = providers::container;
using namespace std::chrono_literals;

constexpr auto kBuildTime = 30min;  // a slow archive
constexpr auto kEngineTime = 60s;

struct Options {
  std::string from;
  bool again = false;
};

// What earlier versions of lab left in the engine, unless a container stands on it.
void remove_outdated(Context& context, const container::Engine& engine) {
  const auto outdated = container::outdated_images(engine, Clock::now() + kEngineTime);
  for (const std::string& image : outdated ? *outdated : std::vector<std::string>{}) {
    const auto removed = engine.attempt({"rmi", image}, Clock::now() + kEngineTime);
    if (removed && removed->exit == 0 && !context.quiet) {
      context.out << "removed an older image: " << image << "\n";
    }
  }
}

void build(Context& context, const Options& options) {
  const auto host = container::this_host();
  const auto engine = container::Engine::find(host);
  if (!engine) {
    return context.fail(engine.error());
  }
  const auto begun = Clock::now();
  const auto tell = [&](const std::string& step) {
    if (!context.quiet) {
      context.err << step << " …\n";
    }
  };
  const auto image = container::build_image(*engine, host, {options.from, options.again, tell}, begun + kBuildTime);
  if (!image) {
    return context.fail(image.error());
  }
  remove_outdated(context, *engine);
  context.out << image->name << (image->made ? " made in " + seconds(Clock::now() - begun) : " is there already (--again makes it anew)")
              << "\n";
}

}  // namespace

void add_image(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* image = root.add_subcommand("image", "the image that container nodes are made from");
  image->require_subcommand(1);
  CLI::App* command = image->add_subcommand("build", "makes it, unless it is there: from Debian's packages by mmdebstrap");
  command->add_option("--from", options->from, "start from this image, a Debian, instead: where a registry is reachable, or it is there")
      ->type_name("IMAGE");
  command->add_flag("--again", options->again, "also where it is there: with today's packages, in place of the one before");
  command->callback([options, &context] { build(context, *options); });
}

}  // namespace lab::cli
