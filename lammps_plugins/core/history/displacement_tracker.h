// Upper bounds of the displacements of particles since their positions were stored. Positions are stored in single
// precision; the largest rounding error is added to each displacement. Owned by NearPairs and by GrainMoves.

#ifndef GRANULAR_PLUS_DISPLACEMENT_TRACKER_H
#define GRANULAR_PLUS_DISPLACEMENT_TRACKER_H

#include "../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class DisplacementTracker {
 public:
  void store_positions(const double *position, int count);
  void release() { *this = {}; }

  double largest_move(const Kernels &kernels, const double *position) const;
  // Returns an upper bound of the distance by which any two particles have approached each other.
  double largest_approach(const Kernels &kernels, const double *position) const;

  double memory_usage() const { return static_cast<double>(sizeof(float)) * reference_position.capacity(); }

 private:
  std::vector<float> reference_position;
  int count = 0;
  double rounding = 0.0;    // largest rounding error of an approach
};

}    // namespace granular_plus

#endif
