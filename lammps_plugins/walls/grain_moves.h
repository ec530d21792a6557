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
  void follow();

  // An epoch ends when grains are renumbered, or when displacement plus growth of a grain may reach half the skin.
  // Distances stored for grains must then be measured again.
  int epoch() const { return count; }
  // upper bound of the distance from a grain's present position to any of its positions in this epoch
  double spare() const { return starts ? most : 2.0 * most; }
  double rounding() const { return looks_at_all ? INFINITY : rounding_of_places; }
  // bounding box of the grains at the starts of all epochs of this run
  const granular_plus::Extent &extent() const { return box; }

 private:
  const granular_plus::Kernels &kernels;
  bool looks_at_all;    // for tests: every grain is treated as near
  bool grains_grow = false;
  int count = 0;
  bool starts = true;
  double most = 0.0, rounding_of_places = 0.0;
  granular_plus::Extent box;
  granular_plus::DisplacementTracker moves;
  std::vector<double> radius_at_start;
  bigint step = -1;
  int in_setup = -1;

  bool neighbor_watches() const;
  double growth() const;
  bool any_moved_too_far();
  void begin_epoch();
};

}    // namespace LAMMPS_NS

#endif
