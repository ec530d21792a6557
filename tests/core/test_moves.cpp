// The kernels of each instruction set detect particles that have moved beyond their limit.

#include "kernels/kernels.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace granular_plus;

namespace {

// Particles that have all moved by 1 in different directions. As any_beyond expects, old positions are rows of four.
struct Moved {
  std::vector<double> now, before, limit;

  explicit Moved(int count) : now(3 * count), before(4 * count, 99.0), limit(count, 1.0 + 1e-12)
  {
    for (int i = 0; i < count; ++i) {
      const double move[3] = {std::cos(i) * std::sin(2 * i), std::sin(i) * std::sin(2 * i), std::cos(2 * i)};
      for (int d = 0; d < 3; ++d) {
        before[4 * i + d] = 0.1 * i - d;
        now[3 * i + d] = before[4 * i + d] + move[d];
      }
    }
  }
  bool any_beyond(const Kernels &kernels) const
  {
    return kernels.any_beyond(now.data(), before.data(), limit.data(), static_cast<int>(limit.size()));
  }
};

}    // namespace

TEST_CASE("among few or many particles, the only particle that moved beyond its limit is detected")
{
  for (const Kernels *kernels : supported_kernels())
    for (int count = 0; count <= 25; ++count) {
      CAPTURE(kernels->name);
      CAPTURE(count);
      CHECK_FALSE(Moved(count).any_beyond(*kernels));
      for (int i = 0; i < count; ++i) {
        Moved moved(count);
        moved.limit[i] = 1.0 - 1e-12;
        CHECK(moved.any_beyond(*kernels));
        moved.limit[i] = 2.0;
        moved.now[3 * i + i % 3] = NAN;
        CHECK(moved.any_beyond(*kernels));
      }
    }
}

TEST_CASE("a particle at rest is within a limit of 0")
{
  for (const Kernels *kernels : supported_kernels()) {
    Moved moved(20);
    for (int i = 0; i < 20; ++i) {
      moved.limit[i] = 0.0;
      for (int d = 0; d < 3; ++d) moved.now[3 * i + d] = moved.before[4 * i + d];
    }
    CHECK_FALSE(moved.any_beyond(*kernels));
  }
}
