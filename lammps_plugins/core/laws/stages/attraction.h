
#ifndef GRANULAR_PLUS_STAGES_ATTRACTION_H
#define GRANULAR_PLUS_STAGES_ATTRACTION_H

#include "../attraction/van_der_waals.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// If WALL is true, the attraction is multiplied by Batch::attraction_factor.
template <bool WALL, bool OBSERVES> STAGE void attraction_stage(Batch &b, const ModelConstants &model)
{
  using Law = attraction::VanDerWaals;
  const auto constants = constants_of<Law>(model.attraction);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const auto pull = Law::pull(constants, b.effective_radius[l], -b.overlap[l]);
    const double along = WALL ? b.attraction_factor[l] : 1.0, force = along * pull.force;
    store(b.force, l, load(b.force, l) - force * load(b.normal, l));
    if constexpr (OBSERVES) {
      b.observed[ATTRACTION_FORCE][l] = force;
      b.observed[ATTRACTION_ENERGY][l] = along > 0.0 ? pull.energy : 0.0;
    }
  }
}

GRANULAR_PLUS_LAWS_END

#endif
