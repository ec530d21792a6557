// Interface of damping laws. A law determines the coefficient of the normal dashpot, whose force is -coefficient *
// normal velocity. A law provides
//   name, source
//   coefficient(constants, contact, secant)   `secant` is the secant stiffness from the normal law
//   coefficient_parameter                     describes the damping parameter of the normal law

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  // True if the law prescribes the restitution or reads `secant`. Such a law cannot be combined with normal laws
  // that are cohesive or plastic.
  static constexpr bool by_restitution = false;
  // True if the law reads a dashpot computed by the normal law, which must set finds_dashpot.
  static constexpr bool reads_dashpot = false;

  struct Arguments {};    // second argument of prepare, if not empty
  struct Constants {
    double damping;
  };
  static Constants prepare(const Material &material) { return {material.damping}; }
};

namespace damping {

struct OfContact : DampingLaw {
  LANE double coefficient(const Constants &, const NormalContact &contact, double) { return contact.damping; }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
