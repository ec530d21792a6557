// Moves spheres with the operations of LAMMPS's fix nve/sphere in the same order.

#ifndef GRANULAR_PLUS_MOTION_H
#define GRANULAR_PLUS_MOTION_H

#include "kernels.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

constexpr int MOVED = 64;

// Particles that do not move stay bitwise identical, even the sign of -0.
template <bool ALL_MOVE, bool MOVE_POSITIONS>
[[gnu::always_inline]] inline void move_some(double *__restrict x, double *__restrict v, double *__restrict w,
                                             const double *__restrict f, const double *__restrict t,
                                             const double *__restrict push, const double *__restrict turn,
                                             const std::int64_t *__restrict moves, int n, double timestep)
{
#pragma omp simd
  for (int c = 0; c < 3 * n; ++c) {
    const double velocity = v[c] + push[c] * f[c], spin = w[c] + turn[c] * t[c];
    v[c] = ALL_MOVE || moves[c] ? velocity : v[c];
    w[c] = ALL_MOVE || moves[c] ? spin : w[c];
    if (MOVE_POSITIONS) {
      const double position = x[c] + timestep * velocity;
      x[c] = ALL_MOVE || moves[c] ? position : x[c];
    }
  }
}

template <bool MOVE_POSITIONS>
void move_all(const Movers &movers, int n, double per_mass, double per_inertia, double timestep)
{
  alignas(64) double push[3 * MOVED], turn[3 * MOVED];
  alignas(64) std::int64_t moves[3 * MOVED];
  for (int begin = 0; begin < n; begin += MOVED) {
    const int count = n - begin < MOVED ? n - begin : MOVED;
    const double *radius = movers.radius + begin, *mass = movers.mass + begin;
    const int *mask = movers.mask + begin;
    int moving = 0;
#pragma omp simd reduction(+ : moving)
    for (int k = 0; k < count; ++k) moving += (mask[k] & movers.group) != 0;
    if (moving == 0) continue;
#pragma omp simd
    for (int k = 0; k < count; ++k) {
      const double by_force = per_mass / mass[k], by_torque = per_inertia / (radius[k] * radius[k] * mass[k]);
      push[3 * k] = push[3 * k + 1] = push[3 * k + 2] = by_force;
      turn[3 * k] = turn[3 * k + 1] = turn[3 * k + 2] = by_torque;
    }
    const int first = 3 * begin;
    double *position = MOVE_POSITIONS ? movers.position + first : nullptr;
    double *velocity = movers.velocity + first, *spin = movers.spin + first;
    const double *force = movers.force + first, *torque = movers.torque + first;
    if (moving == count) {
      move_some<true, MOVE_POSITIONS>(position, velocity, spin, force, torque, push, turn, moves, count, timestep);
      continue;
    }
#pragma omp simd
    for (int k = 0; k < count; ++k) {
      const std::int64_t is_moved = mask[k] & movers.group;
      moves[3 * k] = moves[3 * k + 1] = moves[3 * k + 2] = is_moved;
    }
    move_some<false, MOVE_POSITIONS>(position, velocity, spin, force, torque, push, turn, moves, count, timestep);
  }
}

void move(const Movers &movers, int n, double per_mass, double per_inertia, double timestep)
{
  movers.position ? move_all<true>(movers, n, per_mass, per_inertia, timestep)
                  : move_all<false>(movers, n, per_mass, per_inertia, timestep);
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
