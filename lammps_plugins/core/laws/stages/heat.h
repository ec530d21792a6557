// Heat conducted and made by a contact.

#ifndef GRANULAR_PLUS_STAGES_HEAT_H
#define GRANULAR_PLUS_STAGES_HEAT_H

#include "../heat/liquid.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

// Heat that the contact conducts and, where it OBSERVES, that what it dissipates makes. ENDED: nothing is conducted any more.
template <class Law, bool OBSERVES, bool ENDED> STAGE void heat_stage(Batch &b, const ModelConstants &model)
{
  const auto constants = constants_of<Law>(model.heat);
  const double half_power = b.timestep > 0.0 ? 0.5 * constants.friction / b.timestep : 0.0;
  const bool yields = model.observables > PLASTIC_LOSS, rolls = model.observables > ROLLING_ENERGY,
             twists = model.observables > TWISTING_ENERGY;
  const int lanes = whole_groups(b.count);
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    b.conductance[l] = ENDED ? 0.0 : Law::conductance(constants, b.contact_radius[l]);
    double dissipated = 0.0;
    if constexpr (OBSERVES)    // less what a slider creates: dashpots and slip lose that, but the motion does not
      dissipated = b.observed[NORMAL_LOSS][l] + b.observed[TANGENTIAL_DASHPOT_LOSS][l] + b.observed[SLIP_LOSS][l] +
          (yields ? b.observed[PLASTIC_LOSS][l] : 0.0) + (rolls ? b.observed[ROLLING_LOSS][l] : 0.0) +
          (twists ? b.observed[TWISTING_LOSS][l] : 0.0) - b.observed[CREATED][l];
    b.warming[l] = half_power * dissipated;
  }
}

// adds what the liquid of bridges conducts
STAGE void liquid_heat_stage(Batch &b, const ModelConstants &model)
{
  const GapHeatConstants &constants = model.gap_heat;
  const bool one_volume = constants.bridge_volume > 0.0;
  const Row *kept = b.history + model.bridge_history;
  const int lanes = whole_groups(b.count);
#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double volume = one_volume ? constants.bridge_volume : kept[0][l];
    b.conductance[l] +=
        heat::Liquid::conductance(constants, volume, 2.0 * b.effective_radius[l], larger(0.0, -b.overlap[l]));
  }
}

GRANULAR_PLUS_LAWS_END

#endif
