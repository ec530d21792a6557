#ifndef GRANULAR_PLUS_HEAT_NONE_H
#define GRANULAR_PLUS_HEAT_NONE_H

#include "heat_law.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace heat {

struct None : HeatLaw {
  static constexpr const char *name = "none";
  static constexpr const char *source = "no conduction";
  static constexpr bool conducts = false;
  static constexpr Parameter parameters[] = {FRICTIONAL_HEAT,  GAS,  SMALLEST_GAP, LENS,           EMISSIVITY,
                                             STEFAN_BOLTZMANN, VIEW, LIQUID,       SMALLEST_LIQUID};

  struct Arguments {
    Shared shared;
  };
  static Constants prepare(const Arguments &given) { return {0.0, given.shared.friction}; }
  LANE double conductance(const Constants &, double) { return 0.0; }
};

}    // namespace heat
GRANULAR_PLUS_LAWS_END

#endif
