#ifndef GRANULAR_PLUS_TANGENTIAL_LINEAR_HISTORY_H
#define GRANULAR_PLUS_TANGENTIAL_LINEAR_HISTORY_H

#include "tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace tangential {

// spring of constant stiffness k_t
struct LinearHistory : TangentialLaw {
  static constexpr const char *name = "linear_history";
  static constexpr const char *source = "[cundall1979]";
  static constexpr Parameter parameters[] = {
      {"kt", "force/distance", "tangential stiffness", NON_NEGATIVE}, TANGENTIAL_DAMPING, FRICTION};

  using Arguments = Constants;
  static Constants prepare(const Arguments &given, const Material &) { return given; }
  LANE double stiffness(const Constants &c, double) { return c.stiffness; }
};

// As in pair gran/hooke/history, projection onto the contact plane shortens the spring.
struct LinearHistoryClassic : LinearHistory {
  static constexpr const char *name = "linear_history_classic";
  static constexpr bool keeps_length = false;
  // LAMMPS multiplies this stiffness by the contact radius.
  static constexpr const char *in_lammps = "mindlin_classic";
};

}    // namespace tangential
GRANULAR_PLUS_LAWS_END

#endif
