// Rotation of a rigid body. Quaternions (w, x, y, z) rotate the body's axes to the axes of space.

#ifndef GRANULAR_PLUS_RIGID_ROTATION_H
#define GRANULAR_PLUS_RIGID_ROTATION_H

#include "../../laws/quaternion.h"

#include <cmath>

namespace granular_plus {

struct Rotation {    // a matrix, stored by rows
  double row[3][3];

  Vector operator*(const Vector &v) const
  {
    return {row[0][0] * v.x + row[0][1] * v.y + row[0][2] * v.z, row[1][0] * v.x + row[1][1] * v.y + row[1][2] * v.z,
            row[2][0] * v.x + row[2][1] * v.y + row[2][2] * v.z};
  }
  Vector back(const Vector &v) const
  {
    return {row[0][0] * v.x + row[1][0] * v.y + row[2][0] * v.z, row[0][1] * v.x + row[1][1] * v.y + row[2][1] * v.z,
            row[0][2] * v.x + row[1][2] * v.y + row[2][2] * v.z};
  }
};

inline Rotation rotation_of(const Quaternion &q)
{
  const Vector x = turned_x(q), y = turned_y(q), z = turned_z(q);
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}
inline Rotation rotation_of(const double q[4]) { return rotation_of(quaternion_of(q)); }

// Sets the quaternion q. If the numbers in `uniform` are uniformly distributed between 0 and 1, the orientations are
// also uniformly distributed (Shoemake 1992).
inline void orientation_of(const double uniform[3], double q[4])
{
  const double first = 2.0 * PI * uniform[1], second = 2.0 * PI * uniform[2];
  const double a = std::sqrt(1.0 - uniform[0]), b = std::sqrt(uniform[0]);
  q[0] = b * std::cos(second);
  q[1] = a * std::sin(first);
  q[2] = a * std::cos(first);
  q[3] = b * std::sin(second);
}

inline Quaternion normalized(const Quaternion &q)
{
  return (1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)) * q;
}

struct TurnedInertia {
  double moment[3];
  Rotation axes;
};

// The quaternion `principal` rotates the axes of the body to the principal axes. All moments are > 0.
struct Inertia {
  double moment[3];
  double principal[4];

  TurnedInertia turned(const double quat[4]) const
  {
    return {{moment[0], moment[1], moment[2]}, rotation_of(quaternion_of(quat) * quaternion_of(principal))};
  }
  Vector spin_of(const Vector &angular_momentum, const double quat[4]) const
  {
    const Rotation axes = turned(quat).axes;
    const Vector l = axes.back(angular_momentum);
    return axes * Vector{l.x / moment[0], l.y / moment[1], l.z / moment[2]};
  }
  Vector angular_momentum_of(const Vector &spin, const double quat[4]) const
  {
    const Rotation axes = turned(quat).axes;
    const Vector w = axes.back(spin);
    return axes * Vector{moment[0] * w.x, moment[1] * w.y, moment[2] * w.z};
  }
};

// Advances a torque-free rotation by the given time. The step is a sequence of exact rotations, each about one
// principal axis (Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107 (1997) 5840). The step is reversible, is of
// second order and conserves the angular momentum in space exactly.
inline void turn_freely(double quat[4], const Vector &angular_momentum, const Inertia &inertia, double time)
{
  Quaternion q = quaternion_of(quat) * quaternion_of(inertia.principal);
  const Vector l = rotation_of(q).back(angular_momentum);
  double along[3] = {l.x, l.y, l.z};
  const auto about = [&](int a, double t) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    const double angle = t * along[a] / inertia.moment[a];
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double at_b = along[b], at_c = along[c];
    along[b] = cosine * at_b + sine * at_c;
    along[c] = cosine * at_c - sine * at_b;
    double turn[4] = {std::cos(0.5 * angle), 0.0, 0.0, 0.0};
    turn[1 + a] = std::sin(0.5 * angle);
    q = q * quaternion_of(turn);
  };
  about(0, 0.5 * time);
  about(1, 0.5 * time);
  about(2, time);
  about(1, 0.5 * time);
  about(0, 0.5 * time);
  write(quat, normalized(q * conjugate(quaternion_of(inertia.principal))));
}

}    // namespace granular_plus

#endif
