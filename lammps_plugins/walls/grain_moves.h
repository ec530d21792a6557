// Tracks how far grains have moved. Owned jointly by all walls.

#ifndef LMP_GRANULAR_PLUS_GRAIN_MOVES_H
#define LMP_GRANULAR_PLUS_GRAIN_MOVES_H

#include "pointers.h"

#include "../core/history/near_grains.h"
#include "../core/history/displacement_tracker.h"

#include <cmath>
#include <vector>

namespace LAMMPS_NS {

class GrainMoves : protected Pointers {
 public:
  explicit GrainMoves(LAMMPS *);

  void begin_run();
  // Called by each wall in each evaluation; only the first of these calls has an effect.
  void check_motion();

  // An epoch ends when grains are renumbered, or when displacement plus growth of a grain may reach half the skin.
  // Distances stored for grains must then be measured again.
  int epoch() const { return epoch_number; }
  // upper bound of the distance from a grain's present position to any of its positions in this epoch
  double motion_bound() const { return epoch_is_new ? displacement_limit : 2.0 * displacement_limit; }
  double rounding() const { return treats_all_as_near ? INFINITY : rounding_of_places; }
  // bounding box of the grains at the starts of all epochs of this run
  const granular_plus::Extent &extent() const { return box; }

 private:
  const granular_plus::Kernels &kernels;
  bool treats_all_as_near;    // for tests: every grain is treated as near
  bool grains_grow = false;
  int epoch_number = 0;
  bool epoch_is_new = true;
  double displacement_limit = 0.0, rounding_of_places = 0.0;
  granular_plus::Extent box;
  granular_plus::DisplacementTracker moves;
  std::vector<double> radius_at_start;
  bigint step = -1;
  int in_setup = -1;

  bool neighbor_checks_moves() const;
  double growth() const;
  bool any_moved_too_far();
  void begin_epoch();
};

}    // namespace LAMMPS_NS

#endif
