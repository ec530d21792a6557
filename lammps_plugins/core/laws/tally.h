// Energy balance of a spring, dashpot and slider in one step.
//
// The work of the particles on the contact is computed with the mean of the forces before and after the step. This work
// equals the kinetic energy that velocity Verlet takes from the particles. It is divided among the spring, the dashpot
// and slip. The remainder is the numerical loss.

#ifndef GRANULAR_PLUS_TALLY_H
#define GRANULAR_PLUS_TALLY_H

#include "friction/slider.h"

GRANULAR_PLUS_LAWS_BEGIN

struct Tally {
  double energy;
  double dashpot, slip, created, numerical;
};

LANE double energy_per_state(const SpringDashpot &s, bool carries_force)
{
  const double compliance = s.stiffness > 0.0 ? 1.0 / s.stiffness : 0.0;
  return carries_force ? compliance : s.stiffness;
}

// q_before: spring at the start of the step, rotated into the present frame.
template <class Slider, bool CARRIES_FORCE, class V>
LANE Tally tally_of(const V &q_before, const V &q_after, const SpringDashpot &s, const V &velocity,
                    const V &force_before, const V &force, double energy_before, double timestep)
{
  const V path = timestep * velocity;
  const double work = -0.5 * dot(force_before + force, path);
  const double per_state = energy_per_state(s, CARRIES_FORCE);
  const double energy_entering = 0.5 * dot(q_before, q_before) * per_state;
  Tally b;
  b.energy = 0.5 * dot(q_after, q_after) * per_state;

  // change of the energy due to a change of stiffness, including any rescaling of the spring
  const double change = energy_entering - energy_before;
  // smaller values are round-off
  const double restiffened = std::fabs(change) > 1.0e-10 * energy_entering ? change : 0.0;
  double reset = 0.0;
  if constexpr (Slider::dashpot_follows_spring) {
    const double per_state_rate = s.state_rate != 0.0 ? 1.0 / s.state_rate : 0.0;
    const V spring_path = per_state_rate * (q_after - q_before);
    const double per_time = timestep > 0.0 ? 1.0 / timestep : 0.0;
    b.dashpot = s.damping * dot(spring_path, spring_path) * per_time;
    b.slip = -dot(force, path - spring_path);
  } else {
    b.dashpot = -dot(force + s.force_per_state * q_after, path);
    // energy that the spring gains if the slider resets it
    reset = 0.5 * per_state * dot(q_before + q_after, q_after - (q_before + s.state_rate * path));
    b.slip = larger(0.0, -reset);
  }
  b.slip = b.slip + larger(0.0, -restiffened);
  b.created = larger(0.0, reset) + larger(0.0, restiffened);
  b.numerical = work - (b.energy - energy_before) - b.dashpot - b.slip + b.created;
  return b;
}

GRANULAR_PLUS_LAWS_END

#endif
