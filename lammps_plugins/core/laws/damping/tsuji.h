#ifndef GRANULAR_PLUS_DAMPING_TSUJI_H
#define GRANULAR_PLUS_DAMPING_TSUJI_H

#include "damping_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// coefficient alpha(e) sqrt(m_eff k) with the secant stiffness k = F_elastic/delta of the normal law
struct Tsuji : DampingLaw {
  static constexpr const char *name = "tsuji";
  static constexpr const char *source = "[tsuji1992]";
  static constexpr bool by_restitution = true;
  static constexpr Parameter coefficient_parameter = {"e", "-", "coefficient of restitution", RESTITUTION};

  static Constants prepare(const Material &material)
  {
    // from LAMMPS's documentation
    const double e = material.damping;
    return {1.2728 + e * (-4.2783 + e * (11.087 + e * (-22.348 + e * (27.467 + e * (-18.022 + e * 4.8218)))))};
  }

  LANE double coefficient(const Constants &c, const NormalContact &contact, double secant)
  {
    return c.damping * std::sqrt(contact.effective_mass * secant);
  }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
