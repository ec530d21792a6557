// Bounds how far particles have moved since positions were stored. Positions are stored in single precision, to save
// memory; possible rounding errors are added to each move. Owned by NearPairs and by the walls' GrainMoves.

#ifndef GRANULAR_PLUS_DISPLACEMENT_TRACKER_H
#define GRANULAR_PLUS_DISPLACEMENT_TRACKER_H

#include "../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class DisplacementTracker {
 public:
  // stores positions, rows of three
  void remember(const double *position, int count);
  void release() { *this = {}; }

  // of any one of the particles stored
  double largest_move(const Kernels &kernels, const double *position) const;
  // of any two particles towards each other: a common motion does not count
  double largest_approach(const Kernels &kernels, const double *position) const;

  double memory_usage() const { return static_cast<double>(sizeof(float)) * reference_position.capacity(); }

 private:
  std::vector<float> reference_position;
  int count = 0;
  double rounding = 0.0;    // of the distance between two positions, or of twice a move
};

}    // namespace granular_plus

#endif
