#include "roles/directory/equality_index.hpp"

#include <catch2/catch.hpp>

using namespace lab::directory;

TEST_CASE("an index finds the entries of a value in the order they were added") {
  EqualityIndex index;
  for (EntryId id = 0; id < 1000; ++id) {
    index.add("key" + std::to_string(id % 100), id);
  }
  std::vector<EntryId> found;
  index.find("key7", found);
  CHECK(found == std::vector<EntryId>{7, 107, 207, 307, 407, 507, 607, 707, 807, 907});
  CHECK(index.first("key7") == 907);
}

TEST_CASE("an index finds nothing for a value that nobody has") {
  EqualityIndex index;
  std::vector<EntryId> found;
  index.find("a", found);
  CHECK(index.first("a") == kNoEntry);
  index.add("a", 1);
  index.find("b", found);
  index.find("", found);
  CHECK(found.empty());
}

TEST_CASE("what is removed is not found, and what is left is; keys that come and go take no room") {
  EqualityIndex index;
  for (EntryId id = 0; id < 100'000; ++id) {
    index.add("key" + std::to_string(id), id);
    index.add("all", id);
    if (id >= 10) {
      index.remove("key" + std::to_string(id - 10), id - 10);
      index.remove("all", id - 10);
    }
  }
  std::vector<EntryId> found;
  index.find("all", found);
  CHECK(found == std::vector<EntryId>{99990, 99991, 99992, 99993, 99994, 99995, 99996, 99997, 99998, 99999});
  CHECK(index.first("key99989") == kNoEntry);
  CHECK(index.first("key99990") == 99990);
  index.remove("key99990", 1);
  index.remove("nobody", 1);
  CHECK(index.first("key99990") == 99990);
  CHECK(index.key_bytes() < 10'000);
}
