// A time step of spheres as kernels: a thread for each pair, then one for each grain.

#ifndef GRANULAR_PLUS_DEVICE_STEP_H
#define GRANULAR_PLUS_DEVICE_STEP_H

#include "one_lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct Grains {
  double *position, *velocity, *spin;    // rows of three
  const double *radius, *mass;
};

// Force and torques of each pair, and its history: value k of pair p at [k * pairs + p].
template <class L, bool OBSERVES> struct ForceOfPair {
  static constexpr int FORCES = 9;
  static constexpr int HISTORY = history_size<L, OBSERVES>();
  ModelConstants given;
  double timestep;
  int pairs;
  const int *i, *j;
  Grains grains;
  double *history, *forces;

  STAGE void operator()(int p) const
  {
    const int a = i[p], b = j[p];
    const Vector xi = vector_of(grains.position + 3 * a), xj = vector_of(grains.position + 3 * b);
    const double reach = grains.radius[a] + grains.radius[b];
    const Vector separation = xi - xj;
    if (!(dot(separation, separation) < reach * reach)) {
      for (int k = 0; k < HISTORY; ++k) history[k * pairs + p] = 0.0;
      for (int k = 0; k < FORCES; ++k) forces[k * pairs + p] = 0.0;
      return;
    }
    constexpr ModelConstants OFFSETS = offsets_of<L, OBSERVES>();
    ModelConstants model = given;
    copy_offsets(OFFSETS, model);
    Batch batch;
    batch.count = 1;
    batch.timestep = timestep;
    store(batch.separation, 0, separation);
    store(batch.velocity, 0, vector_of(grains.velocity + 3 * a) - vector_of(grains.velocity + 3 * b));
    store(batch.spin_i, 0, vector_of(grains.spin + 3 * a));
    store(batch.spin_j, 0, vector_of(grains.spin + 3 * b));
    batch.radius_i[0] = grains.radius[a], batch.radius_j[0] = grains.radius[b];
    batch.mass_i[0] = grains.mass[a], batch.mass_j[0] = grains.mass[b];
    batch.held_i[0] = batch.held_j[0] = 0.0;
    UNROLL
    for (int k = 0; k < HISTORY; ++k) batch.history[k][0] = history[k * pairs + p];
    pass_stages<L, Path::TOUCHING, OBSERVES>(batch, model);
    UNROLL
    for (int k = 0; k < HISTORY; ++k) history[k * pairs + p] = batch.history[k][0];
    UNROLL
    for (int d = 0; d < 3; ++d) {
      forces[d * pairs + p] = batch.force[d][0];
      forces[(3 + d) * pairs + p] = batch.torque_i[d][0];
      forces[(6 + d) * pairs + p] = batch.torque_j[d][0];
    }
  }
};

// Adds up what acts on each grain, in the order in which its pairs are listed, and moves it by a step.
struct MoveGrain {
  double timestep;
  int pairs;
  const int *begin;    // of each grain's entries
  const int *entry;    // twice the number of a pair, and 1 more where the grain is its j
  const double *forces;
  Grains grains;

  STAGE void operator()(int g) const
  {
    Vector force{0.0, 0.0, 0.0}, torque{0.0, 0.0, 0.0};
    for (int k = begin[g]; k < begin[g + 1]; ++k) {
      const int p = entry[k] / 2, is_j = entry[k] % 2;
      const double *f = forces + p, *t = forces + (is_j ? 6 : 3) * pairs + p;
      force = force + (is_j ? -1.0 : 1.0) * Vector{f[0], f[pairs], f[2 * pairs]};
      torque = torque + Vector{t[0], t[pairs], t[2 * pairs]};
    }
    const double per_mass = timestep / grains.mass[g], radius = grains.radius[g];
    const double per_inertia = per_mass / (0.4 * radius * radius);
    const Vector velocity = vector_of(grains.velocity + 3 * g) + per_mass * force;
    write(grains.velocity + 3 * g, velocity);
    write(grains.spin + 3 * g, vector_of(grains.spin + 3 * g) + per_inertia * torque);
    write(grains.position + 3 * g, vector_of(grains.position + 3 * g) + timestep * velocity);
  }
};

using UsualLaws = Laws8<normal::HertzMaterial>;

GRANULAR_PLUS_LAWS_END

#endif
