
#ifndef GRANULAR_PLUS_STAGES_ROLLING_H
#define GRANULAR_PLUS_STAGES_ROLLING_H

#include "../tally.h"
#include "turning.h"

GRANULAR_PLUS_LAWS_BEGIN

// The stage reads the members stiffness, damping and friction of the law's Constants.
template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED = false>
STAGE void rolling_stage(Batch &b, const ModelConstants &model)
{
  const auto constants = constants_of<Law>(model.rolling);
  const double timestep = b.timestep;
  [[maybe_unused]] const double moves = timestep > 0.0 ? 1.0 : 0.0;
  Row *history = b.history + model.rolling_history;
  Row *remembered = remembered_of(OF_ROLLING, b, model);
  const Row *turning = model.meets_surface ? b.turning_velocity : b.velocity;
  const double half_step = 0.5 * b.timestep;
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double arm = b.effective_radius[l];
    const Vector velocity = arm * cross(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double coulomb_limit = constants.friction * b.coulomb_normal_force[l];
    const auto spring = carrying_displacement(constants.stiffness, constants.damping);
    const Vector kept = load(history, l);
    Vector q = turned_with_contact<Slider>(kept, normal,
                                           (SYNCHRONIZED ? 0.5 : 1.0) *
                                               half_tilt(load(turning, l), normal, half_step * b.inverse_distance[l]),
                                           timestep * b.spin[l], spring.force_per_state, coulomb_limit);
    if constexpr (SYNCHRONIZED) {
      const Vector end = load(b.normal_at_end, l), stretched = q + timestep * velocity;
      const bool turns = turns_on(stretched, end, moves * spring.force_per_state, coulomb_limit);
      q = select(turns, turned_into_plane(stretched, end) - timestep * velocity, select(moves > 0.0, q, kept));
    }
    [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
    [[maybe_unused]] double sliding;
    const Vector force = Slider::step(q, spring, velocity, coulomb_limit, timestep, sliding);
    store(history, l, q);
    if constexpr (OBSERVES) {
      const auto tally =
          tally_of<Slider, false>(entering, q, spring, velocity, load(remembered + ROLLING_FORCE_BEFORE, l), force,
                                  remembered[ROLLING_ENERGY_BEFORE][l], timestep);
      b.observed[ROLLING_ENERGY][l] = tally.energy;
      b.observed[ROLLING_LOSS][l] = tally.dashpot + tally.slip;
      b.observed[CREATED][l] += tally.created;
      b.observed[NUMERICAL_LOSS][l] += tally.numerical;
      store(remembered + ROLLING_FORCE_BEFORE, l, force);
      remembered[ROLLING_ENERGY_BEFORE][l] = tally.energy;
    }
    const Vector torque = arm * cross(normal, force);
    store(b.torque_i, l, load(b.torque_i, l) + torque);
    store(b.torque_j, l, load(b.torque_j, l) - torque);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
