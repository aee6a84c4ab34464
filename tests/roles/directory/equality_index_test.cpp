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
