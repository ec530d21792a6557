// Resistance to twisting.

#ifndef GRANULAR_PLUS_STAGES_TWISTING_H
#define GRANULAR_PLUS_STAGES_TWISTING_H

#include "../bookkeeping.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// adds the torque that resists twisting
template <class Law, class Slider, bool OBSERVES> void twisting_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.twisting);
  const double timestep = b.timestep;
  double *history = b.history[stack.twisting_history];
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double velocity = dot(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double radius = b.contact_radius[l];
    const double factor = Law::follows_tangential ? b.stiffness_factor[l] : 1.0;
    const auto spring = carrying_displacement(factor * Law::stiffness(constants, radius),
                                              Law::damping(constants, radius, b.damping_coefficient[l]));
    const double bound = Law::friction(constants, radius) * b.limiting_force[l];
    double q = history[l];
    [[maybe_unused]] const double entering = q;
    const double moment = Slider::step(q, spring, velocity, bound, timestep);
    history[l] = q;
    if constexpr (OBSERVES) {
      const auto books = booked<Slider, false>(entering, q, spring, velocity, remembered[TWISTING_MOMENT_BEFORE][l],
                                               moment, remembered[TWISTING_ENERGY_BEFORE][l], bound, timestep);
      b.observed[TWISTING_ENERGY][l] = books.energy;
      b.observed[TWISTING_LOSS][l] = books.dashpot + books.slip;
      b.observed[CREATED][l] += books.created;
      b.observed[NUMERICAL_LOSS][l] += books.numerical;
      remembered[TWISTING_MOMENT_BEFORE][l] = moment;
      remembered[TWISTING_ENERGY_BEFORE][l] = books.energy;
    }
    store(b.torque_i, l, load(b.torque_i, l) + moment * normal);
    store(b.torque_j, l, load(b.torque_j, l) - moment * normal);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
