
#ifndef GRANULAR_PLUS_HEAT_LIQUID_H
#define GRANULAR_PLUS_HEAT_LIQUID_H

#include "../contact.h"
#include "../elementary.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

// As in the gas (gas.h), heat flows through the liquid parallel to the line of centres, between isothermal surfaces.
// The bridge is a cylinder of volume V between the spheres. The surfaces are approximated by paraboloids. If R is
// Derjaguin's radius and S is the gap, the thickness of the liquid is l(r) = S + r^2/R. At the edge of the bridge, the
// thickness is H = sqrt(S^2 + 2V/(pi R)). The conductance is proportional to
//
//   int 2 pi r/max(l(r), smallest_liquid) dr = pi R ((m - S)/smallest_liquid + ln(H/m)),
//   m = min(max(S, smallest_liquid), H).
//
// If the spheres overlap, the liquid begins where the surfaces intersect. S is then 0.
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
