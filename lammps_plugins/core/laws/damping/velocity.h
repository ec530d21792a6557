#ifndef GRANULAR_PLUS_DAMPING_VELOCITY_H
#define GRANULAR_PLUS_DAMPING_VELOCITY_H

#include "damping_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// coefficient eta_n
struct Velocity : DampingLaw {
  static constexpr const char *name = "velocity";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr Parameter coefficient_parameter = {"eta", "force time/distance", "damping coefficient",
                                                      NON_NEGATIVE};

  LANE double coefficient(const Constants &c, const NormalContact &, double) { return c.damping; }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
