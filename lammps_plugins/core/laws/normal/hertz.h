#ifndef GRANULAR_PLUS_NORMAL_HERTZ_H
#define GRANULAR_PLUS_NORMAL_HERTZ_H

#include "normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// F = k_n a delta with the contact radius a = sqrt(R delta)
struct Hertz : NormalLaw {
  static constexpr const char *name = "hertz";
  static constexpr const char *source = "[hertz1882]";
  static constexpr Parameter parameters[] = {
      {"kn", "pressure", "normal stiffness, 4/3 of the effective Young's modulus", NON_NEGATIVE},
      {"eta", "see damping",
       "damping coefficient; for the damping laws tsuji and coeff_restitution, the coefficient of restitution e",
       NON_NEGATIVE, false, Quantity::damping}};

  struct Arguments {
    double stiffness, damping;
  };
  struct Constants {
    double stiffness;
  };
  static Constants prepare(const Arguments &given, bool) { return {given.stiffness}; }
  static Material material(const Arguments &given) { return {given.damping, false, 0.0}; }

  LANE double secant(const Constants &c, const NormalContact &contact) { return c.stiffness * contact.contact_radius; }
  LANE double force(const Constants &c, const NormalContact &contact) { return secant(c, contact) * contact.overlap; }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return 0.4 * c.stiffness * contact.contact_radius * contact.overlap * contact.overlap;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
