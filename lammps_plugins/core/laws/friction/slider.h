// What every slider offers, and what it is given: a spring and a dashpot side by side behind the Coulomb limit.
//
// The spring's state q is its displacement xi or, for the force-carrying Mindlin laws, its force -k xi. Both are one
// law: the elastic force is -force_per_state * q and q changes at state_rate * velocity, where these two are k and 1 for a
// displacement, -1 and -k for a force. The velocity is that of the half step, as LAMMPS hands it over. A slider
// returns the force that acts and moves q to the end of the step; a time step of 0 evaluates the force as it stands.

#ifndef GRANULAR_PLUS_SLIDER_H
#define GRANULAR_PLUS_SLIDER_H

#include "../lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct SpringDashpot {
  double force_per_state, state_rate;
  double stiffness, damping;
};

LANE SpringDashpot carrying_displacement(double stiffness, double damping)
{
  return {stiffness, 1.0, stiffness, damping};
}

LANE SpringDashpot carrying_force(double stiffness, double damping) { return {-1.0, -stiffness, stiffness, damping}; }

// A slider has name, source and
//   template <class V>
//   LANE V step(V &q, const SpringDashpot &s, const V &velocity, double bound, double timestep, double &sliding)
// where V is a Vector for sliding and rolling, a double for twisting; length, dot and select take both. It sets `sliding`
// to 1 where it slips, else to 0.
struct Slider {
  static constexpr bool dashpot_follows_spring = false;    // for the ledger: else it follows the contact's velocity
  // Slip is found at the full radii, friction acts in the middle of the overlap (at walls at the full radius), and
  // springs are turned as there. Else slip and friction belong to one point, and springs turn with the pair.
  static constexpr bool lammps_geometry = false;
};

GRANULAR_PLUS_LAWS_END

#endif
