
#ifndef GRANULAR_PLUS_STAGES_ENDING_H
#define GRANULAR_PLUS_STAGES_ENDING_H

#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// Computes the losses of contacts that have ended since the last step. The forces of the last step still act in the
// first half of this step. The energy that then remains in the springs is lost.
template <class Normal> STAGE void ending_stage(Batch &b, const ModelConstants &model)
{
  const double half = 0.5 * b.timestep;
  const Row *remembered = remembered_of(OF_CONTACT, b, model);
  const Row *of_rolling = remembered_of(OF_ROLLING, b, model), *of_twisting = remembered_of(OF_TWISTING, b, model);
  const double *facing = facing_of(b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    const Vector normal{pair.normal.x, pair.normal.y, pair.normal.z};
    const Vector spin_i = load(b.spin_i, l), spin_j = load(b.spin_j, l);
    const double normal_velocity = dot(load(b.velocity, l), normal);
    const Vector sliding = slip_velocity(b, normal, 0.0, l);
    const Vector rolling = pair.effective_radius * cross(spin_i - spin_j, normal);
    const double twisting = dot(spin_i - spin_j, normal);

    const double elastic =
        remembered[NORMAL_ENERGY_BEFORE][l] - half * remembered[ELASTIC_FORCE_BEFORE][l] * normal_velocity;
    const double dashpot = -half * remembered[DASHPOT_FORCE_BEFORE][l] * normal_velocity;
    b.observed[NORMAL_LOSS][l] = dashpot + (Normal::cohesive ? elastic : 0.0);
    b.observed[NUMERICAL_LOSS][l] = Normal::cohesive ? 0.0 : elastic;
    b.observed[SLIP_LOSS][l] =
        remembered[TANGENTIAL_ENERGY_BEFORE][l] - half * dot(load(remembered + TANGENTIAL_FORCE_BEFORE, l), sliding);
    b.observed[ROLLING_LOSS][l] =
        of_rolling[ROLLING_ENERGY_BEFORE][l] - half * dot(load(of_rolling + ROLLING_FORCE_BEFORE, l), rolling);
    b.observed[TWISTING_LOSS][l] =
        of_twisting[TWISTING_ENERGY_BEFORE][l] - half * of_twisting[TWISTING_MOMENT_BEFORE][l] * twisting;
    b.observed[TANGENTIAL_DASHPOT_LOSS][l] = 0.0;
    b.observed[CREATED][l] = 0.0;
    b.observed[LEVER_LOSS][l] = 0.0;
  }
  if (model.remembered[OF_ROLLING] < 0) std::memset(b.observed[ROLLING_LOSS], 0, sizeof(Row));
  if (model.remembered[OF_TWISTING] < 0) std::memset(b.observed[TWISTING_LOSS], 0, sizeof(Row));
}

GRANULAR_PLUS_LAWS_END

#endif
