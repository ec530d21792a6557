#ifndef GRANULAR_PLUS_TANGENTIAL_LINEAR_NOHISTORY_H
#define GRANULAR_PLUS_TANGENTIAL_LINEAR_NOHISTORY_H

#include "tangential_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace tangential {

// F = -min(mu F_n, gamma_t |v_t|) v_t/|v_t|
struct LinearNohistory : TangentialLaw {
  static constexpr const char *name = "linear_nohistory";
  static constexpr const char *source = "LAMMPS pair granular";
  static constexpr int history = 0;
  static constexpr int history_vectors = 0;
  static constexpr Parameter parameters[] = {TANGENTIAL_DAMPING, FRICTION};

  struct Arguments {
    double damping_ratio, friction;
  };
  static Constants prepare(const Arguments &given, const Material &)
  {
    return {0.0, given.damping_ratio, given.friction};
  }
};

}    // namespace tangential
GRANULAR_PLUS_LAWS_END

#endif
