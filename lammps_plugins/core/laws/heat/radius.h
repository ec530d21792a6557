#ifndef GRANULAR_PLUS_HEAT_RADIUS_H
#define GRANULAR_PLUS_HEAT_RADIUS_H

#include "heat_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// Heat flows between two large bodies through a small disc of radius a. The conductance is 2 k a.
struct Radius : HeatLaw {
  static constexpr const char *name = "radius";
  static constexpr const char *source = "[vargas2001]";
  static constexpr Parameter parameters[] = {
      {"ks", "power/(distance temperature)", "thermal conductivity", NON_NEGATIVE},
      FRICTIONAL_HEAT,
      GAS,
      SMALLEST_GAP,
      LENS,
      EMISSIVITY,
      STEFAN_BOLTZMANN,
      VIEW,
      LIQUID,
      SMALLEST_LIQUID};

  LANE double conductance(const Constants &c, double contact_radius) { return 2.0 * c.coefficient * contact_radius; }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
