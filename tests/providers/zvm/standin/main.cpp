// The stand-in as a program, for scripts: prints its URL, then serves until it is ended.
//   feilong_standin --token T --image NAME=DISTRIBUTION --vswitch NAME --hook PROGRAM --folder DIR
// The hook is called as `PROGRAM start|stop|delete USERID ADDRESS DRIVE`; DRIVE is the config drive as a file in DIR. "cut METHOD /path"
// and the like on standard input misbehave; "journal" prints what was asked, then a line "end".
#include "server.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

void run_hook(const std::string& hook, const std::vector<std::string>& words) {
  std::vector<std::string> all{hook};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  if (const pid_t child = fork(); child == 0) {
    execv(hook.c_str(), arguments.data());
    _exit(127);
  } else if (child > 0) {
    waitpid(child, nullptr, 0);
  }
}

std::map<std::string, standin::Fault> faults() {
  using standin::Fault;
  return {{"busy", Fault::busy},           {"expired", Fault::expired},     {"html", Fault::html},
          {"cut-first", Fault::cut_first}, {"cut-after", Fault::cut_after}, {"stall", Fault::stall}};
}

}  // namespace

int main(int count, char** words) {
  standin::Settings settings;
  std::string hook, folder = ".";
  std::map<std::string, std::string> images;
  std::vector<std::string> vswitches;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string option = words[i], value = words[i + 1];
    if (option == "--token") {
      settings.admin_token = value;
    } else if (option == "--image") {
      images[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
    } else if (option == "--vswitch") {
      vswitches.push_back(value);
    } else if (option == "--hook") {
      hook = value;
    } else if (option == "--folder") {
      folder = value;
    }
  }
  standin::Server server(settings);
  server.with([&](standin::Hypervisor& hypervisor) {
    hypervisor.images = images;
    for (const std::string& name : vswitches) {
      hypervisor.vswitches[name];
    }
    if (!hook.empty()) {
      hypervisor.event = [&](const std::string& event, const std::string& userid, const standin::Guest& guest) {
        const std::string drive = folder + "/" + userid + ".drive";
        std::ofstream(drive, std::ios::binary) << guest.drive;
        run_hook(hook, {event, userid, guest.address, drive});
      };
    }
  });
  std::cout << server.url() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, space);
    if (word == "journal") {
      for (const std::string& call : server.journal()) {
        std::cout << call << "\n";
      }
      std::cout << "end" << std::endl;
      server.forget_journal();
    } else if (word == "down" || word == "up") {
      server.with([&](standin::Hypervisor& hypervisor) { hypervisor.server_down = word == "down"; });
    } else if (const auto known = faults(); known.contains(word)) {
      server.misbehave({known.at(word), line.substr(std::min(space + 1, line.size())), 1});
    }
  }
}
