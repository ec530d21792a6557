
#ifndef GRANULAR_PLUS_STAGES_SYNCHRONIZED_H
#define GRANULAR_PLUS_STAGES_SYNCHRONIZED_H

#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// With synchronized_verlet, all forces use the normal at the time of the velocities, which is half a step earlier. The
// first stage, half_step_back, rotates the separation back to this time. The last stage, end_of_step, restores the
// separation.
STAGE void half_step_back(Batch &b, const ModelConstants &model)
{
  const double half_step = model.half_step;
  const int lanes = padded_to_vectors(b.count);
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector separation = load(b.separation, l), before = separation - half_step * load(b.velocity, l);
    const double distance = length(separation), distance_before = length(before);
    store(b.normal_at_end, l, (distance > 0.0 ? 1.0 / distance : 0.0) * separation);
    store(b.separation, l, (distance_before > 0.0 ? distance / distance_before : 0.0) * before);
  }
}

STAGE void end_of_step(Batch &b, const ModelConstants &)
{
  const int lanes = padded_to_vectors(b.count);
#pragma omp simd
  for (int l = 0; l < lanes; ++l) store(b.separation, l, length(load(b.separation, l)) * load(b.normal_at_end, l));
}

GRANULAR_PLUS_LAWS_END

#endif
