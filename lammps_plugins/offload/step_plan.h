// Describes the work of LAMMPS in each step of a run as a plan for an engine that computes the steps instead.

#ifndef LMP_GRANULAR_PLUS_STEP_PLAN_H
#define LMP_GRANULAR_PLUS_STEP_PLAN_H

#include "../device/grain_engine.h"
#include "../grains/pair_granular_plus.h"
#include "wall_transfer.h"

#include <string>
#include <vector>

namespace LAMMPS_NS {

// Fills the plan, except for its pairs, and lists its walls. An obstacle is a feature that acts in every step and that
// the engine cannot compute. Returns the first obstacle, or an empty string if there is none.
std::string plan_steps(LAMMPS *lmp, granular_plus::StepPlan &plan, std::vector<WallTransfer> &walls);

// Returns whether a fix acts or output is written at the end of this step.
bool needs_lammps(LAMMPS *lmp, bigint step);

}    // namespace LAMMPS_NS

#endif
