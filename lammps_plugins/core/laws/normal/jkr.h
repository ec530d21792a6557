#ifndef GRANULAR_PLUS_NORMAL_JKR_H
#define GRANULAR_PLUS_NORMAL_JKR_H

#include "dmt.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// F = 4 E* a^3/(3 R) - 4 sqrt(pi gamma E* a^3), where the contact radius a is a solution of
// delta = a^2/R - 2 sqrt(pi gamma a/E*). The contact forms when the surfaces touch. It breaks at the gap at which the
// tension reaches its maximum.
struct Jkr : NormalLaw {
  static constexpr const char *name = "jkr";
  static constexpr const char *source = "[johnson1971]; contact radius: [parteli2014]";
  static constexpr bool cohesive = true;
  static constexpr bool pulls_at_touch = true;
  static constexpr bool acts_across_gap = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", POSITIVE, false, Quantity::youngs_modulus},
      Dmt::parameters[1],
      Dmt::parameters[2],
      Dmt::parameters[3]};

  using Arguments = Dmt::Arguments;
  struct Constants {
    double modulus, surface_energy;    // effective Young's modulus and gamma
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    return {0.75 * HertzMaterial::prepare(given.material, mixed).stiffness, given.surface_energy};
  }
  static Material material(const Arguments &given) { return HertzMaterial::material(given.material); }

  LANE double contact_radius(const Constants &c, double overlap, double radius)
  {
    const double e = c.modulus, scaled = overlap * radius, square = radius * radius;
    const double adhesion = c.surface_energy * c.surface_energy * square * square * e;
    const double first = 27.0 * PI * PI * adhesion;
    const double second = 8.0 * scaled * scaled * scaled * e * e * e;
    const double root = std::sqrt(larger(0.0, adhesion * (first + 2.0 * second)));
    const double cube = cube_root(first + second + 3.0 * std::sqrt(3.0) * PI * root);
    const double fifth = (cube > 0.0 ? 4.0 * scaled * scaled * e / cube : 0.0) + cube / e;
    const double sixth = std::sqrt(larger(0.0, 2.0 * scaled + fifth));
    const double pull = sixth > 0.0 ? 6.0 * std::sqrt(6.0) * PI * c.surface_energy * square / (e * sixth) : 0.0;
    return (sixth + std::sqrt(larger(0.0, 4.0 * scaled - fifth + pull))) / std::sqrt(6.0);
  }

  LANE double secant(const Constants &c, const NormalContact &contact)
  {
    return 4.0 / 3.0 * c.modulus * contact.contact_radius;
  }
  LANE double force(const Constants &c, const NormalContact &contact)
  {
    const double a = contact.contact_radius, radius = contact.effective_radius;
    const double repulsion = radius > 0.0 ? 4.0 / 3.0 * c.modulus * a * a * a / radius : 0.0;
    return repulsion - 4.0 * a * std::sqrt(PI * c.surface_energy * c.modulus * a);
  }
  // integral of the force along the equilibrium curve from a = 0
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    const double a = contact.contact_radius, radius = contact.effective_radius;
    const double square = radius > 0.0 ? a * a / radius : 0.0;
    return 8.0 / 15.0 * c.modulus * a * square * square -
        8.0 / 3.0 * a * square * std::sqrt(PI * c.surface_energy * c.modulus * a) + 2.0 * PI * c.surface_energy * a * a;
  }
  // twice the pull-off force 3 pi gamma R
  LANE double adhesion(const Constants &c, const NormalContact &contact)
  {
    return 2.0 * (3.0 * PI * c.surface_energy * contact.effective_radius);
  }
  LANE double breaking_gap(const Constants &c, double effective_radius)
  {
    const double ratio = c.surface_energy / c.modulus;
    return cube_root(3.0 / 16.0 * PI * PI * effective_radius * ratio * ratio);
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
