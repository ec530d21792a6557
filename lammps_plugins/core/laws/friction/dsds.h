#ifndef GRANULAR_PLUS_FRICTION_DSDS_H
#define GRANULAR_PLUS_FRICTION_DSDS_H

#include "slider.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace friction {

// Discontinuous spring-dashpot-slider, as in LAMMPS. Each step first stretches the spring. If the force then exceeds
// the Coulomb limit, the spring is reset so that the force of spring and dashpot equals the limit. The reset may create
// energy.
struct Dsds : Slider {
  static constexpr const char *name = "dsds";
  static constexpr const char *source = "[luding2008]; LAMMPS pair granular";
  static constexpr bool lammps_geometry = true;

  template <class V>
  LANE V step(V &q, const SpringDashpot &s, const V &velocity, double coulomb_limit, double timestep, double &sliding)
  {
    const V stretched = q + (timestep * s.state_rate) * velocity;
    const V test = -s.force_per_state * stretched - s.damping * velocity;
    const double magnitude = length(test);
    const bool slips = magnitude > coulomb_limit;
    // as in LAMMPS, a contact with an unstretched spring slips without resistance
    const bool has_spring = dot(stretched, stretched) != 0.0;
    const double fraction = slips ? (has_spring ? coulomb_limit / magnitude : 0.0) : 1.0;
    const V force = fraction * test;
    const bool resets = slips && has_spring && s.force_per_state != 0.0 && timestep > 0.0;
    const double per_force_per_state = s.force_per_state != 0.0 ? -1.0 / s.force_per_state : 0.0;
    q = select(resets, per_force_per_state * (force + s.damping * velocity), stretched);
    sliding = slips ? 1.0 : 0.0;
    return force;
  }

  // In LAMMPS, the torque of a twisting contact that slips always opposes the velocity, and setup resets an unstretched
  // spring.
  LANE double step(double &q, const SpringDashpot &s, double velocity, double coulomb_limit, double timestep,
                   double &sliding)
  {
    const double stretched = q + timestep * s.state_rate * velocity;
    const double test = -s.force_per_state * stretched - s.damping * velocity;
    const bool slips = std::fabs(test) > coulomb_limit;
    const double drag = velocity > 0.0 ? coulomb_limit : (velocity < 0.0 ? -coulomb_limit : 0.0);
    const double reset = s.force_per_state != 0.0 ? (drag - s.damping * velocity) / s.force_per_state : stretched;
    q = slips && (timestep > 0.0 || q == 0.0) ? reset : stretched;
    sliding = slips ? 1.0 : 0.0;
    return slips ? -drag : test;
  }
};

}    // namespace friction
GRANULAR_PLUS_LAWS_END

#endif
