// A wall that moves along one axis under a load and the force of the grains, integrated by velocity Verlet. Also
// compiled for GPUs.

#ifndef GRANULAR_PLUS_BODY_UNDER_LOAD_H
#define GRANULAR_PLUS_BODY_UNDER_LOAD_H

#include "../core/laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

struct BodyUnderLoad {
  int axis;    // -1 if there is no load
  double mass, drag, lowest, highest;
  double timestep, force_to_momentum, to_energy;    // conversion factors: LAMMPS's ftm2v and mvv2e

  double displacement, velocity;    // displacement at this step, and its rate
  double half_velocity, full_velocity, total_force, stopped_energy;

  STAGE double half_kick() const { return 0.5 * timestep * force_to_momentum; }

  // Does the first half kick, with implicit drag, and then the drift. A body that reaches a bound stops.
  STAGE void advance()
  {
    const double slowed = half_kick() * drag / mass, before = displacement;
    half_velocity = (full_velocity + half_kick() * total_force / mass) / (1.0 + slowed);
    displacement += timestep * half_velocity;
    velocity = half_velocity;
    if (!(displacement < lowest || displacement > highest)) return;
    displacement = displacement < lowest ? lowest : highest;
    if (displacement != before)    // a body at rest at the bound loses no energy
      stopped_energy += to_energy * 0.5 * mass * half_velocity * half_velocity;
    half_velocity = 0.0;
    velocity = (displacement - before) / timestep;
  }

  STAGE void bear(double force)
  {
    total_force = force;
    full_velocity = half_velocity + half_kick() * (total_force - drag * half_velocity) / mass;
  }
};

// State of a wall under a load between two steps.
struct LoadedWall {
  BodyUnderLoad body;
  double load;    // acts in addition to the force of the grains
  bool centre_moves;
  double centre;                        // coordinate, along `axis`, of the reference point of torques at displacement 0
  double force[3], torque[3], power;    // from contacts in the last step
  double work;
};

GRANULAR_PLUS_LAWS_END

#endif
