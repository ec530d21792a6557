#ifndef GRANULAR_PLUS_ATTRACTION_VAN_DER_WAALS_H
#define GRANULAR_PLUS_ATTRACTION_VAN_DER_WAALS_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace attraction {

// F = A R*/(6 D^2) for surfaces separated by a gap D. The force is constant for gaps below D0 and for overlapping
// surfaces, and zero beyond the cutoff. The energy is A R*/6 (1/cutoff - 1/D). Below D0, the energy is linear in D.
struct VanDerWaals {
  static constexpr const char *name = "van_der_waals";
  static constexpr const char *source = "[hamaker1937] spheres at a small gap";
  static constexpr Parameter parameters[] = {
      {"A", "energy", "Hamaker constant", NON_NEGATIVE},
      {"D0", "distance", "gap below which the force stays constant", POSITIVE},
      not_below("D0", {"Rv", "distance", "gap beyond which the force is zero", POSITIVE})};
  struct Arguments {
    double hamaker, least_gap, cutoff;
  };
  struct Constants {
    double strength, least_gap, cutoff;    // strength: A/6
  };
  static Constants prepare(const Arguments &given) { return {given.hamaker / 6.0, given.least_gap, given.cutoff}; }

  struct Pull {
    double force, energy;
  };
  LANE Pull pull(const Constants &c, double effective_radius, double gap)
  {
    const double inverse = 1.0 / larger(gap, c.least_gap), factor = c.strength * effective_radius;
    const double force = factor * inverse * inverse;
    return {force, factor * (1.0 / c.cutoff - inverse) - force * larger(0.0, c.least_gap - gap)};
  }
  // largest derivative of the force with respect to the gap
  static double stiffness(const Constants &c, double effective_radius)
  {
    return 2.0 * c.strength * effective_radius / (c.least_gap * c.least_gap * c.least_gap);
  }
};

}    // namespace attraction
GRANULAR_PLUS_LAWS_END

#endif
