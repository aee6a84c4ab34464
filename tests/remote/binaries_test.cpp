#include "remote/binaries.hpp"

#include "elf_file.hpp"
#include "temporary_folder.hpp"

#include <sys/utsname.h>
#include <catch2/catch.hpp>

using lab::remote::Binaries;
namespace fs = std::filesystem;

namespace {

const fs::path kThisProgram = "/proc/self/exe";

std::string this_architecture() {
  utsname here{};
  uname(&here);
  return static_cast<const char*>(here.machine);
}

// One that this is not.
struct Other {
  std::string name;
  unsigned machine;
  unsigned char order;
};
Other other() { return this_architecture() == "s390x" ? Other{"x86_64", EM_X86_64, ELFDATA2LSB} : Other{"s390x", EM_S390, ELFDATA2MSB}; }
fs::path other_file(const fs::path& file) { return elf_file(file, other().machine, other().order); }

}  // namespace

TEST_CASE("a node of this architecture gets this program") {
  const auto found = Binaries(kThisProgram).find(this_architecture());
  REQUIRE(found);
  CHECK(*found == kThisProgram);
}

TEST_CASE("a node of another architecture gets the binary that lies beside this program") {
  const TemporaryFolder folder;
  other_file(folder / ("lab-" + other().name));
  const auto found = Binaries(folder / "lab").find(other().name);
  REQUIRE(found);
  CHECK(*found == folder / ("lab-" + other().name));
}

TEST_CASE("a binary that is named for an architecture goes before all others") {
  const TemporaryFolder folder;
  other_file(folder / ("lab-" + other().name));
  other_file(folder / "named");
  const Binaries binaries(kThisProgram, {{other().name, folder / "named"}, {this_architecture(), "/proc/self/exe"}});
  REQUIRE(binaries.find(other().name));
  CHECK(*binaries.find(other().name) == folder / "named");
  REQUIRE(binaries.find(this_architecture()));
  CHECK(*binaries.find(this_architecture()) == "/proc/self/exe");
}

TEST_CASE("an architecture without a binary is an error that says where it is looked for") {
  const auto found = Binaries("/no/such/lab").find("mips");
  REQUIRE(found.has_error());
  CHECK(to_string(found.error()) ==
        "the node is mips, and there is no binary of lab for it: /no/such/lab-mips is missing\n"
        "  put one of the same build there, or name it: lab up --agent-binary mips=PATH");
}

TEST_CASE("a file that cannot run on the node is refused by its header") {
  const TemporaryFolder folder;
  std::ofstream(folder / "notes") << "not a program, though long enough to hold the header of one, and more";
  const auto refusal = [&](const std::string& architecture, const fs::path& file) {
    const auto found = Binaries(kThisProgram, {{architecture, file}}).find(architecture);
    REQUIRE(found.has_error());
    CHECK(found.error().remedy == "name one of the same build: lab up --agent-binary " + architecture + "=PATH");
    return found.error().what;
  };
  CHECK(refusal("s390x", folder / "notes") == "the node is s390x, and " + (folder / "notes").string() + " is no program");
  CHECK(refusal("s390x", folder / "absent") == "the node is s390x, and " + (folder / "absent").string() + " is no program");
  const auto intel = elf_file(folder / "intel", EM_X86_64, ELFDATA2LSB);
  CHECK(refusal("s390x", intel) == "the node is s390x, and " + intel.string() + " is a program for x86_64");
  CHECK(refusal("x86_64", s390x_file(folder / "z")) == "the node is x86_64, and " + (folder / "z").string() + " is a program for s390x");
  CHECK(refusal("x86_64", elf_file(folder / "old", EM_SPARCV9, ELFDATA2MSB)) ==
        "the node is x86_64, and " + (folder / "old").string() + " is a program for another architecture");
}
