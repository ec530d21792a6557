#ifndef GRANULAR_PLUS_NORMAL_BRODU_H
#define GRANULAR_PLUS_NORMAL_BRODU_H

#include "hertz.h"
#include "nonlocal_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace normal {

// Elastic grains, in which the force at each contact displaces the surface at the other contacts. The law is Hertz's
// law with the overlap delta + w. The displacement w of both surfaces towards each other is due to all other contacts
// of the two grains. A force F at one contact displaces the surface elsewhere by gamma_d times the displacement of the
// surface of a half space (Boussinesq). With s = sin(theta/2), the outward displacement at the angle theta from the
// contact is
//   u = -gamma_d (1 + nu) F/(4 pi E R s) (2 (1 - nu) + 2 (1 - 2 nu) s - (7 - 8 nu) s^2).
// The energy of each contact is its Hertz energy minus F w/2.
struct Brodu : Hertz {
  static constexpr const char *name = "brodu";
  static constexpr const char *source = "[brodu2015]; [johnson1985] section 3.2";
  static constexpr bool nonlocal = true, couples = true;
  static constexpr Parameter parameters[] = {
      {"E", "pressure", "Young's modulus", POSITIVE, false, Quantity::youngs_modulus},
      {"nu", "-", "Poisson's ratio", POISSON, false, Quantity::poisson_ratio},
      {"gamma_d", "-", "factor by which the displacements of a half space are multiplied", NON_NEGATIVE},
      {"eta", "see damping",
       "damping coefficient; for the damping laws tsuji and coeff_restitution, the coefficient of restitution e",
       NON_NEGATIVE, false, Quantity::damping}};
  static constexpr int history = KEPT_OF_COUPLED;

  struct Arguments {
    double modulus, poisson_ratio, factor, damping;
  };
  static Constants prepare(const Arguments &given, bool mixed)
  {
    return {4.0 / 3.0 * (mixed ? given.modulus : effective_youngs_modulus(given.modulus, given.poisson_ratio))};
  }
  static Material material(const Arguments &given)
  {
    return {given.damping, false, effective_shear_modulus(given.modulus, given.poisson_ratio)};
  }

  LANE void follow(const Constants &, NormalContact &contact, Row *kept, int lane, double, double)
  {
    contact.plastic_overlap = kept[DISPLACEMENT][lane];
    contact.power = larger(contact.overlap + kept[DISPLACEMENT][lane], 0.0);    // overlap of the displaced surfaces
    contact.contact_radius = std::sqrt(contact.power * contact.effective_radius);
  }
  LANE double force(const Constants &c, const NormalContact &contact) { return secant(c, contact) * contact.power; }
  LANE double energy(const Constants &c, const NormalContact &contact)
  {
    return force(c, contact) * (0.4 * contact.power - 0.5 * contact.plastic_overlap);
  }

  template <class Law>
  static double collision_time(const Constants &c, double effective_mass, double effective_radius, double speed)
  {
    return Hertz::collision_time<Hertz>(c, effective_mass, effective_radius, speed);
  }

  // ------------------------------------------------------------------------------------------ interface of nonlocal laws

  struct GrainConstants {
    double modulus, poisson_ratio, factor, stiffness;
  };
  static constexpr int constants_of_grains = 3;
  static constexpr const char *parameters_of_grains = "E, nu and gamma_d";
  static GrainConstants prepare_grains(const Arguments &given, bool mixed, bool)
  {
    const double nu = given.poisson_ratio;
    // given.modulus is effective after mixing
    return {mixed ? 2.0 * (1.0 - nu * nu) * given.modulus : given.modulus, nu, given.factor,
            prepare(given, mixed).stiffness};
  }

  static double displacement(const GrainConstants &c, double radius, double cosine)
  {
    constexpr double NEAREST = 1.0e-3;    // smallest s, for coinciding contacts
    const double nu = c.poisson_ratio, s = larger(std::sqrt(larger(0.5 * (1.0 - cosine), 0.0)), NEAREST);
    const double inward = 2.0 * (1.0 - nu) + 2.0 * (1.0 - 2.0 * nu) * s - (7.0 - 8.0 * nu) * s * s;
    return -c.factor * (1.0 + nu) / (4.0 * PI * c.modulus * radius * s) * inward;
  }

  static double respond(const GrainConstants &c, const NonlocalContact &contact, double displacement)
  {
    const double depth = larger(contact.overlap + displacement, 0.0);
    return c.stiffness * std::sqrt(contact.effective_radius * depth) * depth;
  }
};

}    // namespace normal
GRANULAR_PLUS_LAWS_END

#endif
