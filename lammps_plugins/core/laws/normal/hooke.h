#ifndef GRANULAR_PLUS_NORMAL_HOOKE_H
#define GRANULAR_PLUS_NORMAL_HOOKE_H

#include "normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// F = k_n delta
struct Hooke : NormalLaw {
  static constexpr const char *name = "hooke";
  static constexpr const char *source = "[cundall1979]";
  static constexpr Parameter parameters[] = {
      {"kn", "force/distance", "normal stiffness", NON_NEGATIVE},
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
  static Material material(const Arguments &given) { return {given.damping, true, 0.0}; }

  LANE double secant(const Constants &c, const NormalContact &) { return c.stiffness; }
  LANE double force(const Constants &c, const NormalContact &contact) { return secant(c, contact) * contact.overlap; }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return 0.5 * c.stiffness * contact.overlap * contact.overlap;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
