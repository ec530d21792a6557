#ifndef GRANULAR_PLUS_NORMAL_DMT_H
#define GRANULAR_PLUS_NORMAL_DMT_H

#include "hertz_material.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Hertz's law with a constant attraction: F = 4/3 E* a delta - 4 pi gamma R
struct Dmt : NormalLaw {
  static constexpr const char *name = "dmt";
  static constexpr const char *source = "[derjaguin1975]";
  static constexpr bool cohesive = true;
  static constexpr bool pulls_at_touch = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", NON_NEGATIVE, false, Quantity::youngs_modulus},
      {"eta", "see damping", "damping coefficient", NON_NEGATIVE, false, Quantity::damping},
      {"nu", "-", "Poisson's ratio", POISSON, false, Quantity::poisson_ratio},
      {"gamma", "energy/area", "surface energy density", NON_NEGATIVE}};

  struct Arguments {
    HertzMaterial::Arguments material;
    double surface_energy;
  };
  struct Constants {
    double stiffness, surface_energy;
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    return {HertzMaterial::prepare(given.material, mixed).stiffness, given.surface_energy};
  }
  static Material material(const Arguments &given) { return HertzMaterial::material(given.material); }

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
  LANE double adhesion(const Constants &c, const NormalContact &contact) { return 2.0 * pulloff_force(c, contact); }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
