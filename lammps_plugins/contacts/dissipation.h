// What a contact loses in a step, by the columns of compute granular/dissipation.

#ifndef GRANULAR_PLUS_DISSIPATION_H
#define GRANULAR_PLUS_DISSIPATION_H

#include "../kernels/kernels.h"
#include "outputs.h"

#include <array>

namespace granular_plus {

using Dissipation = std::array<double, DISSIPATION_OUTPUTS>;

// of the contact or bond in a lane of a finished batch, from stages that observe
inline Dissipation dissipation_of(const Batch &b, int lane, bool at_wall)
{
  struct Part {
    DissipationOutput column;
    Observed observed;
  };
  constexpr Part PARTS[] = {{DISSIPATION_NORMAL, NORMAL_LOSS},     {DISSIPATION_TANGENTIAL, TANGENTIAL_DASHPOT_LOSS},
                            {DISSIPATION_SLIP, SLIP_LOSS},         {DISSIPATION_ROLLING, ROLLING_LOSS},
                            {DISSIPATION_TWISTING, TWISTING_LOSS}, {DISSIPATION_BRIDGE, BRIDGE_LOSS},
                            {DISSIPATION_BRIDGE, VISCOUS_LOSS},    {DISSIPATION_BRIDGE, VOLUME_LOSS},
                            {DISSIPATION_PLASTIC, PLASTIC_LOSS},   {DISSIPATION_BOND, BOND_DAMPING_LOSS},
                            {DISSIPATION_BOND, FRACTURE_LOSS}};
  Dissipation lost{};
  for (const Part &part : PARTS) {
    if (part.observed >= b.observables) continue;
    lost[part.column] += b.observed[part.observed][lane];
    lost[DISSIPATION_TOTAL] += b.observed[part.observed][lane];
  }
  if (at_wall) lost[DISSIPATION_WALLS] = lost[DISSIPATION_TOTAL];
  lost[DISSIPATION_CREATED] = b.observed[CREATED][lane];
  return lost;
}

}    // namespace granular_plus

#endif
