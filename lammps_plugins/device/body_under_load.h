// A wall that moves along one axis by Newton's law, under a load and the force of the grains: velocity Verlet, as for the grains.
//
// Also compiled for devices, so it uses nothing from the C++ library beyond what laws use.

#ifndef GRANULAR_PLUS_BODY_UNDER_LOAD_H
#define GRANULAR_PLUS_BODY_UNDER_LOAD_H

#include "../core/laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct BodyUnderLoad {
  int axis;    // -1: no load
  double mass, drag, lowest, highest;
  double timestep, force_to_momentum, to_energy;    // unit conversions ftm2v and mvv2e

  double place, velocity;    // displacement in this step, and its rate
  double half_velocity, full_velocity, total_force, stopped_energy;

  STAGE double half_kick() const { return 0.5 * timestep * force_to_momentum; }

  // Half a kick, with implicit drag, and the drift. A body that reaches a bound stops there.
  STAGE void advance()
  {
    const double slowed = half_kick() * drag / mass, before = place;
    half_velocity = (full_velocity + half_kick() * total_force / mass) / (1.0 + slowed);
    place += timestep * half_velocity;
    velocity = half_velocity;
    if (!(place < lowest || place > highest)) return;
    place = place < lowest ? lowest : highest;
    if (place != before)    // else it rests at the bound, and the kick of this step is no energy lost
      stopped_energy += to_energy * 0.5 * mass * half_velocity * half_velocity;
    half_velocity = 0.0;
    velocity = (place - before) / timestep;
  }

  // The other half kick, with the force at the new position.
  STAGE void bear(double force)
  {
    total_force = force;
    full_velocity = half_velocity + half_kick() * (total_force - drag * half_velocity) / mass;
  }
};

// State of a wall under a load between two steps.
struct LoadedWall {
  BodyUnderLoad body;
  double load;                          // in addition to the force of the grains
  bool centre_moves;                    // the reference point of torques moves with the body
  double centre;                        // its position along the axis at displacement 0
  double force[3], torque[3], power;    // of the contacts in the last step, see WallLoad
  double work;                          // since the wall was defined
};

GRANULAR_PLUS_LAWS_END

#endif
