#ifndef GRANULAR_PLUS_NORMAL_HERTZ_MATERIAL_H
#define GRANULAR_PLUS_NORMAL_HERTZ_MATERIAL_H

#include "hertz.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Hertz's law with k_n = 4/3 E*, where 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j
struct HertzMaterial : Hertz {
  static constexpr const char *name = "hertz/material";
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", NON_NEGATIVE, false, Quantity::youngs_modulus},
      {"eta", "see damping",
       "damping coefficient; for the damping laws tsuji and coeff_restitution, the coefficient of restitution e",
       NON_NEGATIVE, false, Quantity::damping},
      {"nu", "-", "Poisson's ratio", POISSON, false, Quantity::poisson_ratio}};

  struct Arguments {
    double modulus, damping, poisson_ratio;
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    return {4.0 / 3.0 * (mixed ? given.modulus : effective_youngs_modulus(given.modulus, given.poisson_ratio))};
  }
  static Material material(const Arguments &given)
  {
    return {given.damping, false, effective_shear_modulus(given.modulus, given.poisson_ratio)};
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
