// The distance to a surface as an interpolating cubic B-spline on a regular grid.

#ifndef GRANULAR_PLUS_DISTANCE_FIELD_H
#define GRANULAR_PLUS_DISTANCE_FIELD_H

#include "../../laws/lane.h"

#include <functional>
#include <vector>

namespace granular_plus {

class DistanceField {
 public:
  DistanceField() = default;
  DistanceField(const Vector &low, const Vector &high, double cell,
                const std::function<double(const Vector &)> &distance);

  static double points_needed(const Vector &low, const Vector &high, double cell);

  // Returns false outside the grid.
  bool evaluate(const Vector &point, double &value, Vector &gradient) const;
  // Returns a lower bound of the distance for points outside the grid.
  double outside(const Vector &point) const;
  // Returns an upper bound of the slope outside the surface.
  double steepest() const { return slope; }

  double cell() const { return size; }
  const int *points() const { return count; }
  double bytes() const { return static_cast<double>(sizeof(double)) * coefficients.size(); }

 private:
  double size = 0.0, inverse = 0.0, slope = 0.0;
  double origin[3] = {}, box_low[3] = {}, box_high[3] = {};
  int count[3] = {};
  std::vector<double> coefficients;
};

}    // namespace granular_plus

#endif
