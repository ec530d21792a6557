#ifndef GRANULAR_PLUS_NORMAL_HERTZ_MATERIAL_H
#define GRANULAR_PLUS_NORMAL_HERTZ_MATERIAL_H

#include "hertz.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Hertz with k_n = 4/3 E*, 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j
struct HertzMaterial : Hertz {
  static constexpr const char *name = "hertz/material";
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", NON_NEGATIVE, false, Mixing::youngs_modulus},
      {"eta", "see damping", "damping coefficient, or e with damping tsuji and coeff_restitution", NON_NEGATIVE},
      {"nu", "-", "Poisson's ratio", POISSON}};

  static Constants prepare(const double *p, bool mixed)
  {
    return {4.0 / 3.0 * (mixed ? p[0] : effective_youngs_modulus(p[0], p[2]))};
  }
  static Material material(const double *p) { return {p[1], false, true, effective_shear_modulus(p[0], p[2])}; }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
