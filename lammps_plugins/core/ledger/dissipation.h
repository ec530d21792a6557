// Losses of a contact in one step, one value for each column of compute granular/dissipation.

#ifndef GRANULAR_PLUS_DISSIPATION_H
#define GRANULAR_PLUS_DISSIPATION_H

#include "../kernels/kernels.h"
#include "outputs.h"

#include <array>

namespace granular_plus {

using Dissipation = std::array<double, dissipation_output::COUNT>;

// The observing stages must have run.
inline Dissipation dissipation_of(const Batch &b, int lane, bool at_wall)
{
  struct Part {
    int column;
    Observed observed;
  };
  constexpr Part PARTS[] = {
      {dissipation_output::normal, NORMAL_LOSS},     {dissipation_output::tangential, TANGENTIAL_DASHPOT_LOSS},
      {dissipation_output::slip, SLIP_LOSS},         {dissipation_output::rolling, ROLLING_LOSS},
      {dissipation_output::twisting, TWISTING_LOSS}, {dissipation_output::bridge, BRIDGE_LOSS},
      {dissipation_output::bridge, VISCOUS_LOSS},    {dissipation_output::bridge, VOLUME_CHANGE_LOSS},
      {dissipation_output::plastic, PLASTIC_LOSS},   {dissipation_output::bond, BOND_DAMPING_LOSS},
      {dissipation_output::bond, FRACTURE_LOSS}};
  Dissipation lost{};
  for (const Part &part : PARTS) {
    if (part.observed >= b.observables) continue;
    lost[part.column] += b.observed[part.observed][lane];
    lost[dissipation_output::total] += b.observed[part.observed][lane];
  }
  if (at_wall) lost[dissipation_output::walls] = lost[dissipation_output::total];
  lost[dissipation_output::created] = b.observed[CREATED][lane];
  return lost;
}

}    // namespace granular_plus

#endif
