
#ifndef GRANULAR_PLUS_STAGES_TURNING_H
#define GRANULAR_PLUS_STAGES_TURNING_H

#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

LANE Vector half_tilt(const Vector &velocity, const Vector &normal, double half_step_over_distance)
{
  return half_step_over_distance * projected(velocity, normal);
}

// Rotates the spring q with the contact and keeps its length. q is perpendicular to the old normal n - w, where w/2 is
// half_tilt. The rotation from n - w to the new normal n changes q to q - (q.n) n + (q.n) w/2, up to terms of third
// order in the angle. spin_angle is the rotation of the pair about its normal. LAMMPS omits w and the spin. LAMMPS
// rotates a spring only if the spring's component along the normal, times `weight`, exceeds 1e-10 of the Coulomb limit.
template <class Slider>
LANE Vector turned_with_contact(const Vector &q, const Vector &normal, const Vector &half_tilt, double spin_angle,
                                double weight, double coulomb_limit)
{
  const double along = dot(q, normal);
  Vector in_plane = q - along * normal;
  if constexpr (!Slider::lammps_geometry) in_plane = in_plane + along * half_tilt + spin_angle * cross(normal, q);
  const double remains = dot(in_plane, in_plane);
  const double stretch = remains > 0.0 ? std::sqrt(dot(q, q) / remains) : 0.0;
  if constexpr (!Slider::lammps_geometry) return stretch * in_plane;
  return select(std::fabs(along) * weight > 1.0e-10 * coulomb_limit, stretch * in_plane, q);
}

LANE Vector turned_into_plane(const Vector &v, const Vector &normal)
{
  const Vector in_plane = projected(v, normal);
  const double remains = dot(in_plane, in_plane);
  return (remains > 0.0 ? std::sqrt(dot(v, v) / remains) : 0.0) * in_plane;
}

// With synchronized_verlet, a spring is stretched in the contact plane of the half step. The spring is rotated into
// the plane of the end of the step if its component along the normal, times `weight`, exceeds 1e-10 of the Coulomb
// limit.
LANE bool turns_on(const Vector &stretched, const Vector &normal, double weight, double coulomb_limit)
{
  return std::fabs(dot(stretched, normal)) * weight > 1.0e-10 * coulomb_limit;
}

GRANULAR_PLUS_LAWS_END

#endif
