// Heat flow across the gap between two surfaces: through the gas and by radiation.

#ifndef GRANULAR_PLUS_HEAT_GAP_H
#define GRANULAR_PLUS_HEAT_GAP_H

#include "gas.h"
#include "radiation.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

struct Gap {
  // For a wall, radius_j is 0.
  LANE double reach(const GapHeatConstants &c, double radius_i, double radius_j)
  {
    const double part = larger(c.gas > 0.0 ? c.lens : 0.0, c.stefan_boltzmann > 0.0 ? c.view : 0.0);
    return part * larger(radius_i, radius_j);
  }

  // of_radiation must be multiplied by Radiation::sum_of_cubes.
  struct Conductance {
    double of_gas, of_radiation;
  };
  LANE Conductance between_spheres(const GapHeatConstants &c, double radius_i, double radius_j, double distance)
  {
    return {Gas::between_spheres(c, radius_i, radius_j, distance),
            Radiation::between_spheres(c, radius_i, radius_j, distance)};
  }
  LANE Conductance at_plane(const GapHeatConstants &c, double radius, double distance)
  {
    return {Gas::at_plane(c, radius, distance), Radiation::at_plane(c, radius, distance)};
  }
  // heat per time from the partner to the body
  LANE double flow(const Conductance &conductance, double temperature, double of_partner)
  {
    const double radiative = conductance.of_radiation * Radiation::sum_of_cubes(temperature, of_partner);
    return (conductance.of_gas + radiative) * (of_partner - temperature);
  }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
