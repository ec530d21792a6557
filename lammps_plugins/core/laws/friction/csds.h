#ifndef GRANULAR_PLUS_FRICTION_CSDS_H
#define GRANULAR_PLUS_FRICTION_CSDS_H

#include "slider.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace friction {

// Continuous spring-dashpot-slider: eq. 10 of [fuehrer2024], d xi/dt = -(1/gamma) (min(F_S, F_max) F_S/|F_S| + k xi),
// integrated with the backward Euler method. One of k and gamma may be zero. With the trial force F_S, a step is
//   F_S = -(k xi + (gamma + k dt) v),  F = F_S min(1, F_max/|F_S|),  xi' = (gamma xi - dt F)/(gamma + k dt)
// The code computes xi' = xi + dt (v + (F_S - F)/(gamma + k dt)), which is exactly xi + v dt while the contact sticks.
struct Csds : Slider {
  static constexpr const char *name = "csds";
  static constexpr const char *source = "[fuehrer2024]";
  static constexpr bool dashpot_follows_spring = true;

  template <class V>
  LANE V step(V &q, const SpringDashpot &s, const V &velocity, double coulomb_limit, double timestep, double &sliding)
  {
    const double drag = s.damping + s.stiffness * timestep;
    const V test = -s.force_per_state * q - drag * velocity;
    const double magnitude = length(test);
    const bool slips = magnitude > coulomb_limit;
    const double fraction = slips ? coulomb_limit / magnitude : 1.0;
    const double slip = drag > 0.0 ? (1.0 - fraction) / drag : 0.0;
    const double moves = drag > 0.0 ? timestep * s.state_rate : 0.0;
    q = q + moves * (velocity + slip * test);
    sliding = slips ? 1.0 : 0.0;
    return fraction * test;
  }
};

}    // namespace friction
GRANULAR_PLUS_LAWS_END

#endif
