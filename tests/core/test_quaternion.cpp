// Quaternions: a product applies two rotations in turn, and round-off is the same for every axis.

#include "geometry/shapes/rigid_rotation.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace granular_plus;

namespace {

constexpr Quaternion P{0.31, -0.52, 0.77, 0.19}, Q{-0.83, 0.11, 0.45, -0.27};

// the same rotation with the axes relabelled: y, z, x become x, y, z
Quaternion renamed(const Quaternion &q) { return {q.w, q.y, q.z, q.x}; }

bool same(const Quaternion &p, const Quaternion &q) { return p.w == q.w && p.x == q.x && p.y == q.y && p.z == q.z; }

}    // namespace

TEST_CASE("the product of two quaternions rotates by the second and then by the first quaternion")
{
  const Quaternion p = normalized(P), q = normalized(Q);
  const Vector v{0.4, -1.3, 2.2};
  const Vector gap = rotation_of(p * q) * v - rotation_of(p) * (rotation_of(q) * v);
  CHECK(length(gap) < 1e-15 * length(v) * 8.0);
  CHECK(length(rotation_of(conjugate(p)) * v - rotation_of(p).back(v)) == 0.0);
  CHECK(std::fabs(length(rotation_of(p) * v) / length(v) - 1.0) < 1e-15);
}

TEST_CASE("a product has the same bits if the axes are relabelled")
{
  CHECK(same(renamed(P * Q), renamed(P) * renamed(Q)));
  CHECK(same(renamed(Q * P), renamed(Q) * renamed(P)));
}

TEST_CASE("half a turn about z")
{
  const Rotation half = rotation_of(Quaternion{0.0, 0.0, 0.0, 1.0});
  const Vector there = half * Vector{1.0, 2.0, 3.0};
  CHECK(there.x == -1.0);
  CHECK(there.y == -2.0);
  CHECK(there.z == 3.0);
}
