// Where particles were, and by how much they have moved since, at most. In single precision, to save memory; what rounding
// may hide is added to each move.

#ifndef GRANULAR_PLUS_PLACES_THEN_H
#define GRANULAR_PLUS_PLACES_THEN_H

#include "../kernels/kernels.h"

#include <vector>

namespace granular_plus {

class PlacesThen {
 public:
  // rows of three
  void remember(const double *position, int count);
  void release() { *this = {}; }

  // of the same particles
  double largest_move(const Kernels &kernels, const double *position) const;
  // of two particles towards each other: a common motion does not count
  double largest_approach(const Kernels &kernels, const double *position) const;

  double memory_usage() const { return static_cast<double>(sizeof(float)) * position_then.capacity(); }

 private:
  std::vector<float> position_then;
  int count = 0;
  double rounding = 0.0;    // of the distance between two places, or of twice a move
};

}    // namespace granular_plus

#endif
