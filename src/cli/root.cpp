#include "root.hpp"

#include "commands.hpp"
#include "lab/version.hpp"

namespace lab::cli {

namespace {

struct Entry {
  const char* group;
  Register add;
  const char* examples;  // below the command's --help; nullptr: the command has its own
};

constexpr Entry kCommands[] = {
    {"Files", add_init,
     "  lab init                                  # lab.yaml and playbook.yaml here, commented\n"
     "  lab init bench && lab up bench/lab.yaml"},
    {"Files", add_validate,
     "  lab validate lab.yaml playbook.yaml       # every error at once, and whether the playbook fits the lab\n"
     "  lab validate *.yaml"},
    {"Measurements", add_run,
     "  lab run                                   # the study's matrix, eight minutes\n"
     "  lab run --list                            # what that is, and how long it takes\n"
     "  lab run --only '2/*page=12KB*' --repeats 10\n"
     "  lab run mine.yaml --profile standard --web 127.0.0.1:0 --open\n"
     "  lab run --resume latest                   # go on after a kill"},
    {"Measurements", add_runs,
     "  lab runs                                  # what there is\n"
     "  lab runs --cell '1/*'                     # one cell over all runs\n"
     "  lab runs --html runs.html"},
    {"Measurements", add_selftest, "  lab selftest                              # before believing this host's numbers"},
    {"Measurements", add_report,
     "  lab report --open                         # the latest run, in the browser\n"
     "  lab report latest --format md -o report.md"},
    {"Measurements", add_compare,
     "  lab compare BEFORE latest                 # names of folders in reports/\n"
     "  lab compare BEFORE latest --fail-if 'throughput<-5%' --format md -o change.md"},
    {"Labs", add_doctor,
     "  lab doctor                                # this host\n"
     "  lab doctor webseal-2007                   # what that lab needs, of this host and of each node"},
    {"Labs", add_image,
     "  lab image build                           # once; kept until its recipe changes\n"
     "  lab image build --from debian:12"},
    {"Labs", add_plan,
     "  lab plan                                  # of the built-in lab `local`\n"
     "  lab plan hosts.yaml"},
    {"Labs", add_up,
     "  lab up                                    # the built-in lab `local`\n"
     "  lab up webseal-2007                       # nine containers, with firewalls\n"
     "  lab up mine.yaml --name tuesday"},
    {"Labs", add_status,
     "  lab status --watch\n"
     "  lab status --json | jq '.nodes[] | select(.health != \"ok\")'"},
    {"Labs", add_graph,
     "  lab graph webseal-2007 --svg > lab.svg\n"
     "  lab graph --mermaid                       # for a README"},
    {"Labs", add_ssh,
     "  lab ssh webseal\n"
     "  lab ssh webseal -- ls -l"},
    {"Labs", add_exec, "  lab exec was -- uname -a"},
    {"Labs", add_logs,
     "  lab logs webseal                          # the agent's\n"
     "  lab logs webseal gateway -f               # a role's, as it grows"},
    {"Labs", add_junction, nullptr},
    {"Labs", add_down,
     "  lab down                                  # the only lab that stands\n"
     "  lab down --all"},
    {"Roles alone", add_database, "  lab database -c database.yaml             # what `lab up` runs on a node of role database"},
    {"Roles alone", add_directory, nullptr},
    {"Roles alone", add_gateway, nullptr},
    {"Roles alone", add_guest, "  lab guest -c guest.yaml                   # what `lab run` starts where the axis `busy` says so"},
    {"Roles alone", add_load,
     "  lab load http://127.0.0.1:9080/page/5.8KB -c 8 -d 10s --expect-pages\n"
     "  lab load https://127.0.0.1:8443/ -c 64 -R 1000 --fail-if 'p99>50ms'     # open loop, latency\n"
     "  lab load https://gw/a --against https://gw/b -c 8                       # the ratio of two\n"
     "  lab load https://gw/ -c 64 --find-max --slo 'p99<50ms'                  # the highest rate within a limit"},
    {"Roles alone", add_pages,
     "  lab pages --http 127.0.0.1:9080           # GET /page/5.8KB, /echo\n"
     "  lab pages --https 127.0.0.1:9443 --cert server.pem --key server.key"},
    {"Other", add_agent, "  lab agent --attach SOCKET                 # what the controller calls over SSH"},
    {"Other", add_completion,
     "  source <(lab completion bash)             # in ~/.bashrc\n"
     "  lab completion zsh > ~/.zfunc/_lab        # a folder of $fpath\n"
     "  lab completion fish > ~/.config/fish/completions/lab.fish"},
    {"Other", add_man,
     "  lab man run | man -l -                    # read it\n"
     "  lab man --all /usr/local/share/man/man1   # a page a command"},
    {"Other", add_version, "  lab version --json"},
};

}  // namespace

std::unique_ptr<CLI::App> make_root(Context& context) {
  auto root =
      std::make_unique<CLI::App>("Measures secured web gateways: stands a lab up, runs a matrix, reports what holds, takes it down.");
  root->name("lab");
  root->require_subcommand(1);
  root->fallthrough();
  root->set_version_flag("--version", version());
  root->add_flag("-q,--quiet", context.quiet, "say only what is asked for and errors");
  root->add_flag("-v,--verbose", context.verbose, "say more");
  root->add_flag_callback(
      "--no-color", [&context] { context.color = false; }, "no colours (also: NO_COLOR)");
  for (const Entry& entry : kCommands) {
    const auto before = root->get_subcommands({}).size();
    entry.add(*root, context);
    for (std::size_t i = before; i < root->get_subcommands({}).size(); ++i) {
      CLI::App* const command = root->get_subcommands({})[i];
      command->group(entry.group);
      if (entry.examples != nullptr) {
        command->footer(std::string("Examples:\n") + entry.examples);
      }
    }
  }
  return root;
}

}  // namespace lab::cli
