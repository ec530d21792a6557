// Interface of the laws of liquid bridges. A bridge forms when surfaces touch, pulls with a constant force while the
// surfaces overlap, and breaks when it is stretched beyond its rupture distance.
//
// In formulas, S is the gap (the full distance between the surfaces), R = 2 R_i R_j/(R_i + R_j) is Derjaguin's radius,
// V is the volume of the bridge, gamma is the surface tension and theta is the contact angle.
//
// A law provides prepare, the struct Liquid with the values that depend on the volume, and three lane functions:
//   liquid           returns the Liquid for the volume in the constants, or for a given volume
//   force            returns the attraction across a gap
//   force_at_touch   returns the attraction of surfaces that touch or overlap
// A law with closed_energy also provides stretch_energy, the work needed to stretch a bridge from zero gap to a given
// gap.

#ifndef GRANULAR_PLUS_CAPILLARY_LAW_H
#define GRANULAR_PLUS_CAPILLARY_LAW_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Bounds CONTACT_ANGLE{0.0, 90.0, true, false};

struct CapillaryLaw {
  static constexpr bool pulls = true;
  static constexpr bool closed_energy = false;
  static constexpr bool from_films = false;
  static constexpr int history = 0, history_vectors = 0;
  static constexpr Parameter parameters[] = {
      {"gamma", "force/distance", "surface tension", NON_NEGATIVE},
      {"theta", "degree", "contact angle", CONTACT_ANGLE, false, Quantity::contact_angle},
      {"V", "volume", "liquid volume of a bridge", POSITIVE, false, Quantity::other, "volume"}};

  struct Arguments {
    double tension, contact_angle, volume;
  };
  // range of the two fits by Willett et al.; volumes are V/R^3
  struct FitRange {
    double largest_angle, smallest_volume, largest_volume;
  };
  static constexpr FitRange fitted{50.0, 1.0e-3, 0.1};
  LANE double derjaguin_radius(double radius_i, double radius_j) { return 2.0 / (1.0 / radius_i + 1.0 / radius_j); }

  // rupture distance (1 + theta/2)(V^(1/3) + V^(2/3)/(10 R))
  struct Rupture {
    double stretch, thinning;
  };
  static Rupture rupture(const Arguments &given)
  {
    return rupture_of(1.0 + 0.5 * in_radians(given.contact_angle), std::cbrt(given.volume));
  }
  LANE Rupture rupture_of(double opened, double root) { return {opened * root, 0.1 * opened * root * root}; }
  static double in_radians(double degrees) { return degrees * PI / 180.0; }

  template <class Constants> LANE double rupture_distance(const Constants &c, double radius)
  {
    return c.rupture.stretch + c.rupture.thinning / radius;
  }
};

GRANULAR_PLUS_LAWS_END

#endif
