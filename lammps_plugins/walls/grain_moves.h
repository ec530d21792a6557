// How far grains have moved, watched once in each step for all walls.

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

  // as a run begins; no harm if several walls say so
  void begin_run();
  // in each evaluation; does its work for the wall that comes first
  void follow();

  // Counts up as grains are numbered anew, and before one of them, what its radius grows included, has come further than
  // it may: then what was found out about all of them must be found out again.
  int epoch() const { return count; }
  // from where a grain now is, in this epoch
  double spare() const { return starts ? most : 2.0 * most; }
  double rounding() const { return looks_at_all ? INFINITY : rounding_of_places; }
  // since the run began; grains are no further out than spare
  const granular_plus::Extent &extent() const { return box; }

 private:
  const granular_plus::Kernels &kernels;
  bool looks_at_all;           // for tests: no grain is ever far
  bool grains_grow = false;    // one has, in this run
  int count = 0;
  bool starts = true;    // the epoch, with the evaluation in hand
  double most = 0.0, rounding_of_places = 0.0;
  granular_plus::Extent box;
  granular_plus::DisplacementTracker moves;
  std::vector<double> radius_then;    // when the epoch began
  bigint step = -1;                   // of the last evaluation
  int in_setup = -1;                  // was it

  bool neighbor_watches() const;
  double growth() const;
  bool one_has_come_too_far();
  void begin_epoch();
};

}    // namespace LAMMPS_NS

#endif
