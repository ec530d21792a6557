#ifndef GRANULAR_PLUS_TANGENTIAL_MINDLIN_H
#define GRANULAR_PLUS_TANGENTIAL_MINDLIN_H

#include "tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace tangential {

// No-slip stiffness k_t a, proportional to the contact radius a, with k_t = 8 G*. The four variants differ in the
// stored quantity (displacement or force), and in whether unloading reduces this quantity in proportion to a.
struct Mindlin : TangentialLaw {
  static constexpr const char *name = "mindlin";
  static constexpr const char *source = "[mindlin1949]; [thornton2013]";
  static constexpr Parameter parameters[] = {
      {"kt", "pressure", "tangential stiffness (NULL: 8 G* of the normal law's material)", NON_NEGATIVE, true},
      TANGENTIAL_DAMPING,
      FRICTION};

  static constexpr bool grows_with_radius = true;

  using Arguments = Constants;
  static Constants prepare(const Arguments &given, const Material &material)
  {
    const bool from_material = given.stiffness == NULL_PARAMETER;
    return {from_material ? 8.0 * material.shear_modulus : given.stiffness, given.damping_ratio, given.friction};
  }
  LANE double stiffness(const Constants &c, double contact_radius) { return c.stiffness * contact_radius; }
};

struct MindlinForce : Mindlin {
  static constexpr const char *name = "mindlin/force";
  static constexpr bool carries_force = true;
};

struct MindlinRescale : Mindlin {
  static constexpr const char *name = "mindlin_rescale";
  static constexpr int history = 4;
  static constexpr bool rescales = true;
};

struct MindlinRescaleForce : MindlinRescale {
  static constexpr const char *name = "mindlin_rescale/force";
  static constexpr bool carries_force = true;
};

// As in pair gran/hertz/history, projection onto the contact plane shortens the spring.
struct MindlinClassic : Mindlin {
  static constexpr const char *name = "mindlin_classic";
  static constexpr bool keeps_length = false;
  static constexpr const char *in_lammps = name;
};

}    // namespace tangential
GRANULAR_PLUS_LAWS_END

#endif
