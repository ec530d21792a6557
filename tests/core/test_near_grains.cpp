// The list of grains near a wall, compared with all grains.

#include "history/near_grains.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace granular_plus;

namespace {

struct Scene {
  std::vector<double> rows;
  std::vector<double *> position;
  std::vector<double> radius;
  double plane = 0.0;

  explicit Scene(int count, unsigned seed) : rows(3 * count), position(count), radius(count)
  {
    std::mt19937 chance(seed);
    std::uniform_real_distribution<double> place(0.0, 20.0), size(0.4, 0.6);
    for (double &x : rows) x = place(chance);
    for (int i = 0; i < count; ++i) {
      position[i] = &rows[3 * i];
      radius[i] = size(chance);
    }
  }
  double clearance(int i) const { return std::fabs(position[i][2] - plane); }
  bool touches(int i) const { return clearance(i) < radius[i]; }
};

}    // namespace

TEST_CASE("no touching grain is left out if grains and wall move at most as far as announced")
{
  constexpr int COUNT = 300;
  constexpr double SPARE = 0.3, ROUNDING = 1e-12;
  Scene scene(COUNT, 17);
  NearGrains near;
  near.grow(COUNT);
  std::mt19937 chance(5);
  std::uniform_real_distribution<double> shift(-1.0, 1.0);
  std::vector<double> start = scene.rows;
  int epoch = 0, looked_at = 0, steps = 0;
  double moved = 0.0, way = 0.0;
  for (int step = 0; step < 400; ++step) {
    for (double &x : scene.rows) x += 0.01 * shift(chance);
    moved += 0.01 * std::sqrt(3.0);
    if (moved > SPARE - 0.01 * std::sqrt(3.0)) {    // as in DisplacementTracker
      ++epoch;
      moved = 0.0;
    }
    scene.plane += 0.004;
    way += 0.004;
    const NearGrains::Grains grains{scene.position.data(), scene.radius.data(), COUNT, epoch, SPARE, ROUNDING};
    near.update(grains, way, 0.1, [&](int i) { return scene.clearance(i); }, [](int) { return false; });
    std::vector<bool> seen(COUNT, false);
    for (int k = 0; k < near.size(); ++k)
      if (near.must_inspect(k, scene.position.data(), scene.radius.data())) seen[near.grain(k)] = true;
    for (int i = 0; i < COUNT; ++i) {
      if (scene.touches(i)) CHECK(seen[i]);
      looked_at += seen[i];
    }
    ++steps;
  }
  CHECK(looked_at < 0.5 * COUNT * steps);
}

TEST_CASE("a grain marked for inspection, or with a position of NaN, is always inspected")
{
  Scene scene(2, 3);
  scene.position[0][2] = scene.position[1][2] = 15.0;
  NearGrains near;
  near.grow(2);
  NearGrains::Grains grains{scene.position.data(), scene.radius.data(), 2, 0, 0.1, 0.0};
  near.update(grains, 0.0, 0.0, [&](int i) { return scene.clearance(i); }, [](int i) { return i == 1; });
  REQUIRE(near.size() == 1);
  CHECK(near.grain(0) == 1);
  CHECK(near.must_inspect(0, scene.position.data(), scene.radius.data()));
  near.set_has_contact(0, false);
  CHECK_FALSE(near.must_inspect(0, scene.position.data(), scene.radius.data()));
  scene.position[1][2] = NAN;
  CHECK(near.must_inspect(0, scene.position.data(), scene.radius.data()));
}

TEST_CASE("after forget_all(), every distance is measured again")
{
  Scene scene(1, 3);
  scene.position[0][2] = 15.0;
  NearGrains near;
  near.grow(1);
  NearGrains::Grains grains{scene.position.data(), scene.radius.data(), 1, 0, 0.1, 0.0};
  int measured = 0;
  const auto update = [&] {
    return near.update(
        grains, 0.0, 0.0,
        [&](int i) {
          ++measured;
          return scene.clearance(i);
        },
        [](int) { return false; });
  };
  CHECK(update());
  CHECK(measured == 1);
  CHECK_FALSE(update());
  ++grains.epoch;
  CHECK(update());
  CHECK(measured == 1);
  near.forget_all();
  CHECK(update());
  CHECK(measured == 2);
}
