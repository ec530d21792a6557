#ifndef GRANULAR_PLUS_DAMPING_MASS_VELOCITY_H
#define GRANULAR_PLUS_DAMPING_MASS_VELOCITY_H

#include "damping_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// coefficient eta_n m_eff
struct MassVelocity : DampingLaw {
  static constexpr const char *name = "mass_velocity";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr Parameter coefficient_parameter = {"eta", "1/time", "damping coefficient", NON_NEGATIVE};

  LANE double coefficient(const Constants &c, const NormalContact &contact, double)
  {
    return c.damping * contact.effective_mass;
  }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
