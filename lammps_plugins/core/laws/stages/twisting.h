
#ifndef GRANULAR_PLUS_STAGES_TWISTING_H
#define GRANULAR_PLUS_STAGES_TWISTING_H

#include "../tally.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// A twisting law provides the lane functions stiffness, damping and friction.
template <class Law, class Slider, bool OBSERVES> STAGE void twisting_stage(Batch &b, const ModelConstants &model)
{
  const auto constants = constants_of<Law>(model.twisting);
  const double timestep = b.timestep;
  double *history = b.history[model.twisting_history];
  Row *remembered = remembered_of(OF_TWISTING, b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double velocity = dot(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double radius = b.contact_radius[l];
    const double factor = Law::follows_tangential ? b.stiffness_factor[l] : 1.0;
    const auto spring = carrying_displacement(factor * Law::stiffness(constants, radius),
                                              Law::damping(constants, radius, b.damping_coefficient[l]));
    const double coulomb_limit = Law::friction(constants, radius) * b.coulomb_normal_force[l];
    double q = history[l];
    [[maybe_unused]] const double entering = q;
    [[maybe_unused]] double sliding;
    const double moment = Slider::step(q, spring, velocity, coulomb_limit, timestep, sliding);
    history[l] = q;
    if constexpr (OBSERVES) {
      const auto tally = tally_of<Slider, false>(entering, q, spring, velocity, remembered[TWISTING_MOMENT_BEFORE][l],
                                                 moment, remembered[TWISTING_ENERGY_BEFORE][l], timestep);
      b.observed[TWISTING_ENERGY][l] = tally.energy;
      b.observed[TWISTING_LOSS][l] = tally.dashpot + tally.slip;
      b.observed[CREATED][l] += tally.created;
      b.observed[NUMERICAL_LOSS][l] += tally.numerical;
      remembered[TWISTING_MOMENT_BEFORE][l] = moment;
      remembered[TWISTING_ENERGY_BEFORE][l] = tally.energy;
    }
    store(b.torque_i, l, load(b.torque_i, l) + moment * normal);
    store(b.torque_j, l, load(b.torque_j, l) - moment * normal);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
