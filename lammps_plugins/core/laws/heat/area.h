#ifndef GRANULAR_PLUS_HEAT_AREA_H
#define GRANULAR_PLUS_HEAT_AREA_H

#include "heat_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// Heat flows through a thin layer that covers the contact area. The conductance is hs pi a^2.
struct Area : HeatLaw {
  static constexpr const char *name = "area";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr Parameter parameters[] = {
      {"hs", "power/(area temperature)", "heat transfer coefficient", NON_NEGATIVE},
      FRICTIONAL_HEAT,
      GAS,
      SMALLEST_GAP,
      LENS,
      EMISSIVITY,
      STEFAN_BOLTZMANN,
      VIEW,
      LIQUID,
      SMALLEST_LIQUID};

  LANE double conductance(const Constants &c, double contact_radius)
  {
    return c.coefficient * PI * contact_radius * contact_radius;
  }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
