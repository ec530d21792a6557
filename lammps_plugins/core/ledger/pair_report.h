// Columns of compute pair/local that contacts and bonds share, computed from the first lane of a batch. `sign` is -1 if
// the order of the two grains in the output is opposite to their order in the batch, otherwise 1.

#ifndef GRANULAR_PLUS_PAIR_REPORT_H
#define GRANULAR_PLUS_PAIR_REPORT_H

#include "../laws/contact.h"
#include "../laws/lane.h"
#include "outputs.h"

namespace granular_plus {

inline Vector first_lane(const Row *rows) { return {rows[0][0], rows[1][0], rows[2][0]}; }

inline double gap_of_spheres(const Batch &b)
{
  return length(first_lane(b.separation)) - b.radius_i[0] - b.radius_j[0];
}

// midway between the surfaces, relative to the centre of i
inline Vector point_of_spheres(const Batch &b)
{
  return -(b.radius_i[0] + 0.5 * gap_of_spheres(b)) * first_lane(b.normal);
}

// `point` is relative to the centre of i.
inline void report_geometry(double *values, const Batch &b, double sign, double gap, const Vector &point)
{
  const Vector separation = first_lane(b.separation);
  values[pair_output::gap] = gap;
  write(values + pair_output::separation_x, sign * separation);
  write(values + pair_output::normal_x, sign * first_lane(b.normal));
  write(values + pair_output::point_x, sign < 0.0 ? point + separation : point);
}

inline void add_force(double *values, const Batch &b, double sign)
{
  double *force = values + pair_output::force_x;
  write(force, vector_of(force) + sign * first_lane(b.force));
}

}    // namespace granular_plus

#endif
