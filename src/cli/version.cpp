#include "commands.hpp"

#include "lab/version.hpp"

#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <boost/json.hpp>
#include <boost/version.hpp>
#include <memory>

namespace lab::cli {

void add_version(CLI::App& root, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = root.add_subcommand("version", "version, build id, architecture, libraries");
  command->add_flag("--json", *json, "as JSON");
  command->callback([json, &context] {
    utsname host{};
    uname(&host);
    const boost::json::object all{{"version", lab::version()},
                                  {"build", lab::build_id()},
                                  {"architecture", host.machine},
                                  {"libraries", {{"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)}, {"boost", BOOST_LIB_VERSION}}}};
    if (*json) {
      context.out << all << '\n';
      return;
    }
    context.out << "lab " << lab::version() << " (build " << lab::build_id() << ", " << host.machine << ")\n"
                << "OpenSSL " << OpenSSL_version(OPENSSL_VERSION_STRING) << ", Boost " << BOOST_LIB_VERSION << '\n';
  });
}

}  // namespace lab::cli
