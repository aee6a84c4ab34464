#include "stats/step_down.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace lab::stats;

namespace {

std::vector<double> corrected_of(const std::vector<Permutation>& all) {
  std::vector<const Permutation*> pointers;
  for (const Permutation& each : all) {
    pointers.push_back(&each);
  }
  return corrected(pointers);
}

// Two runs of the same thing, `cells` cells, six passes each; a pass's luck is shared by its cells, and now and then it is very bad.
std::vector<Permutation> same_twice(std::mt19937_64& random, std::size_t cells) {
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<std::vector<double>> a(cells, std::vector<double>(6)), b = a;
  for (auto* run : {&a, &b}) {
    for (std::size_t pass = 0; pass < 6; ++pass) {
      const double luck = noise(random) - (random() % 20 == 0 ? 0.2 : 0);
      for (auto& cell : *run) {
        cell[pass] = luck + noise(random);
      }
    }
  }
  std::vector<Permutation> found;
  for (std::size_t i = 0; i < cells; ++i) {
    found.push_back(permute(a[i], b[i]));
  }
  return found;
}

}  // namespace

TEST_CASE("one comparison alone keeps its p") {
  const auto found = corrected_of({permute({1, 2, 3, 4}, {5, 6, 7, 9})});
  CHECK(found[0] == Approx(2.0 / 70));
}

TEST_CASE("two comparisons, worked out by hand") {
  // Both lie apart, 2 of 70 relabellings each. The wide one's |t| is reached by its own two alone; the narrow one's, as the rest of the
  // family by then, by its own two.
  const std::vector<double> a{1, 2, 3, 4};
  const Permutation narrow = permute(a, {5, 6, 7, 8}), wide = permute(a, {15, 16, 17, 18});
  REQUIRE(wide.t > narrow.t);
  const auto found = corrected_of({narrow, wide});
  CHECK(found[1] == Approx(2.0 / 70));
  CHECK(found[0] == Approx(2.0 / 70));
  // Alike, each adds its share to the first: 4 of 70, and the second is never less sure than the first.
  const auto alike = corrected_of({narrow, narrow});
  CHECK(alike[0] == Approx(4.0 / 70));
  CHECK(alike[1] == Approx(4.0 / 70));
}

TEST_CASE("what too few values could never show costs the others nothing") {
  const Permutation few = permute({1, 2, 3}, {40, 50, 60}), enough = permute({1, 2, 3, 4}, {5, 6, 7, 9});
  const auto found = corrected_of({few, enough, few});
  CHECK(found[0] == 1);
  CHECK(found[1] == Approx(2.0 / 70));
  CHECK(found[2] == 1);
}

TEST_CASE("a large effect among 40 cells of six passes is found, where p times 40 could not be") {
  std::mt19937_64 random(8);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    auto cells = same_twice(random, 39);
    std::normal_distribution<double> noise(0, 0.02);
    std::vector<double> a(6), b(6);
    for (std::size_t pass = 0; pass < 6; ++pass) {
      a[pass] = noise(random);
      b[pass] = noise(random) - 0.3;
    }
    cells.push_back(permute(a, b));
    CHECK(cells.back().shift.p * 40 > kFamilyError);
    found += corrected_of(cells).back() <= kFamilyError ? 1 : 0;
  }
  CHECK(found == 20);
}

TEST_CASE("of 400 comparisons of a run with its like, 20 cells each, one in twenty calls anything different at most") {
  std::mt19937_64 random(1979);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const auto p = corrected_of(same_twice(random, 20));
    wrong += std::any_of(p.begin(), p.end(), [](double each) { return each <= kFamilyError; }) ? 1 : 0;
  }
  CHECK(wrong <= 20 + 13);  // three standard errors
}
