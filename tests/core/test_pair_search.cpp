// Pairs found with cells, compared with all pairs, for the kernels of each instruction set.

#include "history/pair_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace granular_plus;

namespace {

struct Scene {
  std::vector<double> position, reach;
  int owned;

  int all() const { return static_cast<int>(reach.size()); }
  double distance(int a, int b) const
  {
    const double *x = &position[3 * a], *y = &position[3 * b];
    return std::sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
  }
};

// the last third of the grains are ghosts
Scene scene(int count, double width, double height, double least, double largest, int seed)
{
  std::mt19937 chance(seed);
  std::uniform_real_distribution<double> place(0.0, 1.0);
  Scene made;
  made.owned = count - count / 3;
  for (int a = 0; a < count; ++a) {
    for (const double length : {width, width, height}) made.position.push_back(length * place(chance) - 3.0);
    made.reach.push_back(least * std::pow(largest / least, place(chance)));
  }
  return made;
}

using PairSet = std::multiset<std::pair<int, int>>;

PairSet found(const Kernels &kernels, const Scene &scene)
{
  PairSet pairs;
  PairSearch search;
  search.find(kernels, {scene.position.data(), scene.reach.data(), scene.owned, scene.all()},
              [&](int a, const int *partners, int count) {
                CHECK(a < scene.owned);
                for (int k = 0; k < count; ++k) pairs.insert({std::min(a, partners[k]), std::max(a, partners[k])});
              });
  return pairs;
}

void check(const Scene &scene)
{
  for (const Kernels *kernels : supported_kernels()) {
    INFO(kernels->name);
    const PairSet pairs = found(*kernels, scene);
    std::size_t expected = 0;
    for (int a = 0; a < scene.owned; ++a)
      for (int b = a + 1; b < scene.all(); ++b) {
        if (scene.distance(a, b) > scene.reach[a] + scene.reach[b]) continue;
        ++expected;
        REQUIRE(pairs.count({a, b}) == 1);
      }
    // because of rounding, a pair slightly beyond the range may be listed
    for (const auto &[a, b] : pairs) {
      REQUIRE(scene.distance(a, b) <= (scene.reach[a] + scene.reach[b]) * (1.0 + 1e-4));
      REQUIRE(pairs.count({a, b}) == 1);
    }
    CHECK(pairs.size() <= expected + 3);
  }
}

}    // namespace

TEST_CASE("grains of similar sizes")
{
  for (const int count : {1, 2, 3, 17, 400, 2000}) check(scene(count, 9.0, 9.0, 0.4, 0.6, count));
}

TEST_CASE("sizes from 1 to 100")
{
  for (const int seed : {1, 2, 3}) check(scene(1500, 10.0, 10.0, 0.02, 2.0, seed));
}

TEST_CASE("grains in a plane and along a line")
{
  check(scene(600, 20.0, 0.0, 0.3, 0.6, 5));
  Scene line = scene(300, 30.0, 0.0, 0.3, 0.5, 6);
  for (int a = 0; a < line.all(); ++a) line.position[3 * a + 1] = 0.0;
  check(line);
}

TEST_CASE("a distant grain costs no memory and hides no pair")
{
  Scene far = scene(500, 8.0, 8.0, 0.4, 0.6, 7);
  far.position[0] = 1.0e5;
  PairSearch search;
  search.find(kernels(), {far.position.data(), far.reach.data(), far.owned, far.all()}, [](int, const int *, int) {});
  far.position[0] = 1.0e3;
  check(far);
}

TEST_CASE("grains that are on the faces of cells and exactly touch each other")
{
  Scene lattice;
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 4; ++k) {
        for (const int place : {i, j, k}) lattice.position.push_back(place);
        lattice.reach.push_back(0.5);
      }
  lattice.owned = 250;
  check(lattice);
}

TEST_CASE("no grains at all, and no owned grains")
{
  check({{}, {}, 0});
  Scene ghosts = scene(30, 3.0, 3.0, 0.4, 0.6, 8);
  ghosts.owned = 0;
  check(ghosts);
}
