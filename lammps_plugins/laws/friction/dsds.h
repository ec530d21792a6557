#ifndef GRANULAR_PLUS_FRICTION_DSDS_H
#define GRANULAR_PLUS_FRICTION_DSDS_H

#include "slider.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace friction {

// Discontinuous spring-dashpot-slider, step by step as LAMMPS takes it: stretch the spring, and where the force
// exceeds the bound, reset the spring so that spring and dashpot together give the bound. The reset creates energy.
struct Dsds : Slider {
  static constexpr const char *name = "dsds";
  static constexpr const char *source = "Luding, Granular Matter 10 (2008) 235; LAMMPS pair granular";
  static constexpr bool as_lammps = true;

  template <class V>
  LANE V step(V &q, const SpringDashpot &s, const V &velocity, double bound, double timestep)
  {
    const V stretched = q + (timestep * s.growth) * velocity;
    const V test = -s.yield * stretched - s.damping * velocity;
    const double magnitude = length(test);
    const bool slips = magnitude > bound;
    const bool has_spring = dot(stretched, stretched) != 0.0;    // LAMMPS lets a contact without spring slip freely
    const double share = slips ? (has_spring ? bound / magnitude : 0.0) : 1.0;
    const V force = share * test;
    const bool resets = slips && has_spring && s.yield != 0.0 && timestep > 0.0;
    const double per_yield = s.yield != 0.0 ? -1.0 / s.yield : 0.0;
    q = select(resets, per_yield * (force + s.damping * velocity), stretched);
    return force;
  }

  // In LAMMPS a twisting contact that slips always resists the velocity, whatever its spring and dashpot say.
  LANE double step(double &q, const SpringDashpot &s, double velocity, double bound, double timestep)
  {
    const double stretched = q + timestep * s.growth * velocity;
    const double test = -s.yield * stretched - s.damping * velocity;
    const bool slips = std::fabs(test) > bound;
    const double drag = velocity > 0.0 ? bound : (velocity < 0.0 ? -bound : 0.0);
    const double reset = s.yield != 0.0 ? (drag - s.damping * velocity) / s.yield : stretched;
    q = slips && timestep > 0.0 ? reset : stretched;
    return slips ? -drag : test;
  }
};

}    // namespace friction
GRANULAR_PLUS_LAWS_END

#endif
