// What every heat law offers: the conductance of a contact, heat per time and difference of temperature.

#ifndef GRANULAR_PLUS_HEAT_LAW_H
#define GRANULAR_PLUS_HEAT_LAW_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Parameter FRICTIONAL_HEAT = {"F",
                                       "-",
                                       "fraction of what the contact dissipates that warms its two grains",
                                       {0.0, 1.0, true, true},
                                       false,
                                       Mixing::geometric,
                                       "friction",
                                       false,
                                       true};

struct HeatLaw {
  static constexpr bool conducts = true;    // false: conductance is not asked for

  struct Constants {
    double coefficient;    // of conductance
    double friction;       // the fraction F
  };
  static Constants prepare(const double *p) { return {p[0], p[1]}; }
};

GRANULAR_PLUS_LAWS_END

#endif
