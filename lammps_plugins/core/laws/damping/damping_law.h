// Interface of damping laws: the coefficient of the normal dashpot, F = -coefficient * normal velocity. A law
// provides name and source; coefficient(constants, contact, secant), where `secant` is the secant stiffness from the
// normal law; and coefficient_parameter, which describes the damping parameter. This parameter is one of the normal
// law's arguments.

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  // True if the law prescribes the restitution or reads `secant`. Such a law cannot be combined with normal laws that
  // are cohesive or yield: `secant` is meaningless for cohesive laws and 0 for laws that yield.
  static constexpr bool by_restitution = false;
  // true if the law reads a dashpot computed by the normal law; such a law combines only with normal laws that set
  // finds_dashpot
  static constexpr bool reads_dashpot = false;

  struct Arguments {};    // a law with arguments receives them as second argument of prepare
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
