// Interface of damping laws: the coefficient of the normal dashpot, F = -coefficient * normal velocity. A law adds
// coefficient, and coefficient_parameter: how it reads the damping parameter of the normal law.

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  static constexpr bool by_restitution = false;    // cannot be combined with normal laws that stick or yield
  static constexpr bool reads_dashpot = false;     // found by the normal law; combines only with such laws

  struct Arguments {};    // a law with arguments takes them in prepare, too
  struct Constants {
    double damping;
  };
  static Constants prepare(const Material &material) { return {material.damping}; }
};

namespace damping {

// stands for the damping law if the normal law has its own dashpot
struct OfContact : DampingLaw {
  LANE double coefficient(const Constants &, const NormalContact &contact, double) { return contact.damping; }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
