// Limit on the displacement of each grain before the next neighbour list. Also compiled for GPUs.

#ifndef GRANULAR_PLUS_MOTION_BUDGET_H
#define GRANULAR_PLUS_MOTION_BUDGET_H

#include "../laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

// The limit is a fraction of the radius plus the distance covered in a given time at the present speed. It is at least
// `least` and at most `most`.
struct MotionBudget {
  double least, most, per_radius, time;
  STAGE double of(double radius, double speed) const
  {
    const double wanted = larger(least, per_radius * radius + time * speed);
    return most < wanted ? most : wanted;
  }
};

GRANULAR_PLUS_LAWS_END

#endif
