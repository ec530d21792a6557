// Interface of sliders. A slider is a spring and a dashpot in parallel, in series with a friction element that limits
// the force.
//
// The state q of the spring is its displacement xi or, for the Mindlin laws that carry the force, its force -k xi. The
// elastic force is -force_per_state * q, and q changes at the rate state_rate * velocity. force_per_state and
// state_rate are k and 1 if q is a displacement, -1 and -k if q is a force. The velocity is taken at the half step. A
// slider advances q to the end of the step and returns the force. If the time step is 0, the slider returns the present
// force.

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

// A slider defines name, source and
//   template <class V>
//   LANE V step(V &q, const SpringDashpot &s, const V &velocity, double coulomb_limit, double timestep,
//               double &sliding)
// where V is Vector for sliding and rolling and double for twisting. The function sets `sliding` to 1 if the contact
// slips, else to 0.
struct Slider {
  // Read by the ledger. True if the dashpot moves with the velocity of the spring, false if the dashpot moves with the
  // velocity of the contact.
  static constexpr bool dashpot_follows_spring = false;
  // If true, slip is measured at the full radii, and springs are rotated as in LAMMPS. Friction acts at the middle of
  // the overlap, or at the full radius if the partner is a wall. If false, slip and friction refer to the same point,
  // and springs rotate with the pair.
  static constexpr bool lammps_geometry = false;
};

GRANULAR_PLUS_LAWS_END

#endif
