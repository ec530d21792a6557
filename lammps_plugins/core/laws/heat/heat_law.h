// What every heat law offers: the conductance of a contact, heat per time and difference of temperature.

#ifndef GRANULAR_PLUS_HEAT_LAW_H
#define GRANULAR_PLUS_HEAT_LAW_H

#include "../lane.h"
#include "../parameters.h"

GRANULAR_PLUS_LAWS_BEGIN

constexpr Parameter FRICTIONAL_HEAT =
    optional("friction",
             {"F", "-", "fraction of what the contact dissipates that warms its two grains", {0.0, 1.0, true, true}});

struct HeatLaw {
  static constexpr bool conducts = true;    // false: conductance is not asked for

  struct Constants {
    double coefficient;    // of conductance
    double friction;       // the fraction F
  };
  using Arguments = Constants;
  static Constants prepare(const Arguments &given) { return given; }
};

GRANULAR_PLUS_LAWS_END

#endif
