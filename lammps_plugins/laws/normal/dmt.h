#ifndef GRANULAR_PLUS_NORMAL_DMT_H
#define GRANULAR_PLUS_NORMAL_DMT_H

#include "hertz_material.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Hertz with a constant attraction: F = 4/3 E* a delta - 4 pi gamma R
struct Dmt : NormalLaw {
  static constexpr const char *name = "dmt";
  static constexpr const char *source = "Derjaguin, Muller & Toporov, J. Colloid Interface Sci. 53 (1975) 314";
  static constexpr bool cohesive = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", NON_NEGATIVE, false, Mixing::youngs_modulus},
      {"eta", "see damping", "damping coefficient", NON_NEGATIVE},
      {"nu", "-", "Poisson's ratio", POISSON},
      {"gamma", "energy/area", "surface energy density", NON_NEGATIVE}};

  struct Constants {
    double stiffness, surface_energy;
  };
  static Constants prepare(const double *p, bool mixed) { return {HertzMaterial::prepare(p, mixed).stiffness, p[3]}; }
  static Material material(const double *p) { return HertzMaterial::material(p); }

  LANE double secant(const Constants &c, const NormalContact &contact) { return c.stiffness * contact.contact_radius; }
  LANE double force(const Constants &c, const NormalContact &contact)
  {
    return secant(c, contact) * contact.overlap - pulloff_force(c, contact);
  }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return (0.4 * secant(c, contact) * contact.overlap - pulloff_force(c, contact)) * contact.overlap;
  }
  LANE double pulloff_force(const Constants &c, const NormalContact &contact)
  {
    return 4.0 * PI * c.surface_energy * contact.effective_radius;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
