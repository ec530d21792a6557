// Conduction through liquid bridges.

#ifndef GRANULAR_PLUS_HEAT_LIQUID_H
#define GRANULAR_PLUS_HEAT_LIQUID_H

#include "../contact.h"
#include "../elementary.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// As through the gas (gas.h), heat crosses the liquid parallel to the line of centres between isothermal surfaces. The
// bridge is the cylinder of volume V between the spheres, as for its viscosity (film.h), and the surfaces are parabolic
// near touch: with Derjaguin's radius R and the gap S the liquid is l(r) = S + r^2/R thick, and at its edge
// H = sqrt(S^2 + 2V/(pi R)). Thickness below smallest_liquid is replaced by it, so that
//
//   int 2 pi r/max(l(r), smallest_liquid) dr = pi R ((m - S)/smallest_liquid + ln(H/m)),   m = min(max(S, smallest_liquid), H).
//
// In overlap l is 0 where the surfaces intersect: S = 0.
struct Liquid {
  LANE double conductance(const GapHeatConstants &c, double volume, double radius, double gap)
  {
    const double edge = std::sqrt(gap * gap + 2.0 * volume / (PI * radius));
    const double middle = smaller(larger(gap, c.smallest_liquid), edge);
    // middle and edge are both 0 for a dry pair that touches
    const double ratio = middle > 0.0 ? edge / middle : 1.0;
    return c.liquid * PI * radius * ((middle - gap) / c.smallest_liquid + logarithm(ratio));
  }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
