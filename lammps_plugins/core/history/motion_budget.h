// How far each grain may move until the next neighbour list. Compiled for a device too.

#ifndef GRANULAR_PLUS_MOTION_BUDGET_H
#define GRANULAR_PLUS_MOTION_BUDGET_H

#include "../laws/lane.h"

GRANULAR_PLUS_LAWS_BEGIN

// A share of the radius and the distance covered in some time at the present speed, within bounds.
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
