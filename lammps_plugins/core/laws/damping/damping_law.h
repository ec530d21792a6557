// What every damping law offers: the coefficient of the normal dashpot, F = -coefficient * normal velocity. A law
// adds coefficient, and coefficient_parameter: how it reads the damping parameter of the normal law.

#ifndef GRANULAR_PLUS_DAMPING_LAW_H
#define GRANULAR_PLUS_DAMPING_LAW_H

#include "../normal/normal_law.h"

GRANULAR_PLUS_LAWS_BEGIN

struct DampingLaw {
  static constexpr bool by_restitution = false;    // not for normal laws that stick or yield
  static constexpr bool reads_dashpot = false;     // that the normal law has found; for such laws and for no others

  struct Arguments {};    // a law that has some takes them, too, to prepare
  struct Constants {
    double damping;
  };
  static Constants prepare(const Material &material) { return {material.damping}; }
};

namespace damping {

// stands with normal laws that bring their own dashpot
struct OfContact : DampingLaw {
  LANE double coefficient(const Constants &, const NormalContact &contact, double) { return contact.damping; }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
