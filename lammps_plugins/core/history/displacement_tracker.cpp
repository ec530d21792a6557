#include "displacement_tracker.h"

#include "../laws/lane.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace granular_plus {

void DisplacementTracker::store_positions(const double *position, int new_count)
{
  count = new_count;
  reference_position.resize(3 * static_cast<std::size_t>(count));
  double largest = 0.0;
  for (std::size_t k = 0; k < reference_position.size(); ++k) {
    reference_position[k] = static_cast<float>(position[k]);
    largest = std::max(largest, std::fabs(position[k]));
  }
  constexpr double WRONG_BY = 0.5 * std::numeric_limits<float>::epsilon();
  rounding = 2.0 * std::sqrt(3.0) * WRONG_BY * largest;
}

double DisplacementTracker::largest_move(const Kernels &kernels, const double *position) const
{
  if (count == 0) return 0.0;
  double low[3], high[3];
  kernels.range_of_moves(position, reference_position.data(), count, low, high);
  for (int d = 0; d < 3; ++d) high[d] = std::max(std::fabs(low[d]), std::fabs(high[d]));
  return length(vector_of(high)) + 0.5 * rounding;
}

double DisplacementTracker::largest_approach(const Kernels &kernels, const double *position) const
{
  if (count == 0) return 0.0;
  double low[3], high[3];
  kernels.range_of_moves(position, reference_position.data(), count, low, high);
  for (int d = 0; d < 3; ++d) high[d] -= low[d];
  return length(vector_of(high)) + rounding;
}

}    // namespace granular_plus
