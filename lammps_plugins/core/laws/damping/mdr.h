#ifndef GRANULAR_PLUS_DAMPING_MDR_H
#define GRANULAR_PLUS_DAMPING_MDR_H

#include "damping_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// a is the contact radius of the normal law `mdr`. Type 1: the coefficient is eta sqrt(2 m_eff E* a). Type 2: the
// coefficient is eta while a > 0.
struct Mdr : DampingLaw {
  static constexpr const char *name = "mdr";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr bool reads_dashpot = true;
  static constexpr Parameter coefficient_parameter = {"eta", "-", "damping coefficient", NON_NEGATIVE};
  static constexpr Parameter parameters[] = {
      {"type", "-", "kind of damping (1: proportional to the stiffness, 2: constant)", {1.0, 2.0, true, true}}};

  struct Arguments {
    double type;
  };
  struct Constants {
    double damping, is_constant;
  };
  static Constants prepare(const Material &material, const Arguments &given)
  {
    return {material.damping, given.type == 2.0 ? 1.0 : 0.0};
  }

  LANE double coefficient(const Constants &c, const NormalContact &contact, double)
  {
    const double constant = contact.damping > 0.0 ? 1.0 : 0.0;
    return c.damping * (c.is_constant > 0.0 ? constant : contact.damping);
  }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
