// Resistance to rolling.

#ifndef GRANULAR_PLUS_STAGES_ROLLING_H
#define GRANULAR_PLUS_STAGES_ROLLING_H

#include "../bookkeeping.h"
#include "turning.h"

GRANULAR_PLUS_LAWS_BEGIN

// adds the torque that resists rolling
template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED = false> void
rolling_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.rolling);
  const double timestep = b.timestep;
  [[maybe_unused]] const double moves = timestep > 0.0 ? 1.0 : 0.0;
  Row *history = b.history + stack.rolling_history;
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double arm = b.effective_radius[l];
    const Vector velocity = arm * cross(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double bound = constants.friction * b.limiting_force[l];
    const auto spring = carrying_displacement(constants.stiffness, constants.damping);
    const Vector kept = load(history, l);
    Vector q = turned_with_contact<Slider>(kept, normal, (SYNCHRONIZED ? 0.5 : 1.0) * load(b.half_tilt, l),
                                           timestep * b.spin[l], spring.yield, bound);
    if constexpr (SYNCHRONIZED) {
      const Vector end = load(b.normal_at_end, l), stretched = q + timestep * velocity;
      const bool turns = turns_on(stretched, end, moves * spring.yield, bound);
      q = select(turns, turned_into_plane(stretched, end) - timestep * velocity, select(moves > 0.0, q, kept));
    }
    [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
    const Vector force = Slider::step(q, spring, velocity, bound, timestep);
    store(history, l, q);
    if constexpr (OBSERVES) {
      const auto books =
          booked<Slider, false>(entering, q, spring, velocity, load(remembered + ROLLING_FORCE_BEFORE, l), force,
                                remembered[ROLLING_ENERGY_BEFORE][l], bound, timestep);
      b.observed[ROLLING_ENERGY][l] = books.energy;
      b.observed[ROLLING_LOSS][l] = books.dashpot + books.slip;
      b.observed[CREATED][l] += books.created;
      b.observed[NUMERICAL_LOSS][l] += books.numerical;
      store(remembered + ROLLING_FORCE_BEFORE, l, force);
      remembered[ROLLING_ENERGY_BEFORE][l] = books.energy;
    }
    const Vector torque = arm * cross(normal, force);
    store(b.torque_i, l, load(b.torque_i, l) + torque);
    store(b.torque_j, l, load(b.torque_j, l) - torque);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
