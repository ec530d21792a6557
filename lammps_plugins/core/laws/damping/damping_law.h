// Interface of damping laws: the coefficient of the normal dashpot, F = -coefficient * normal velocity. A law adds
// coefficient, and coefficient_parameter, which states the meaning of the damping parameter of the normal law.

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  static constexpr bool by_restitution = false;    // true: cannot be combined with normal laws that stick or yield
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
