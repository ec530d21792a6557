// Interface of damping laws: the coefficient of the normal dashpot, F = -coefficient * normal velocity. A law adds name
// and source; coefficient(constants, contact, secant), where `secant` is the stiffness from the normal law; and
// coefficient_parameter, which states the meaning of the damping parameter that belongs to the normal law's arguments.

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  // True: the law prescribes the restitution or reads `secant`. It then cannot be combined with normal laws that are
  // cohesive or yield, whose secant is meaningless or 0.
  static constexpr bool by_restitution = false;
  // true: the normal law computes the dashpot; combines only with such normal laws
  static constexpr bool reads_dashpot = false;

  struct Arguments {};    // a law that has arguments also receives them in prepare
  struct Constants {
    double damping;
  };
  static Constants prepare(const Material &material) { return {material.damping}; }
};

namespace damping {

// placeholder for the damping law if the normal law has its own dashpot
struct OfContact : DampingLaw {
  LANE double coefficient(const Constants &, const NormalContact &contact, double) { return contact.damping; }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
