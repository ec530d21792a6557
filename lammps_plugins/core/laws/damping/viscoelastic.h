#ifndef GRANULAR_PLUS_DAMPING_VISCOELASTIC_H
#define GRANULAR_PLUS_DAMPING_VISCOELASTIC_H

#include "damping_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// coefficient eta a m_eff with the contact radius a (Brilliantov et al., Phys. Rev. E 53 (1996) 5382)
struct Viscoelastic : DampingLaw {
  static constexpr const char *name = "viscoelastic";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr Parameter coefficient_parameter = {"eta", "1/(time distance)", "damping coefficient", NON_NEGATIVE};

  LANE double coefficient(const Constants &c, const NormalContact &contact, double)
  {
    return c.damping * contact.effective_mass * contact.contact_radius;
  }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
