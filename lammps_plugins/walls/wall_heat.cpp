#include "wall_heat.h"

#include "../core/laws/heat/gap.h"

#include "atom.h"
#include "error.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::GapHeatConstants;
using granular_plus::heat::Gap;

void WallHeat::find(const GapHeatConstants &constants, int grain, double temperature)
{
  const double radius = atom->radius[grain], within = radius + Gap::reach(constants, radius, 0.0);
  points.clear();
  surface.points_near(grain, atom->x[grain], radius, within, WallSurface::ALL_POINTS, points);
  if (surface.has_patches() && !points.empty()) {
    std::iter_swap(points.begin(), std::min_element(points.begin(), points.end(), [](const auto &a, const auto &b) {
                     return a.distance < b.distance;
                   }));
    points.resize(1);
  }
  if (points.empty()) return;
  const double of_grain = atom->temperature[grain];
  if (constants.stefan_boltzmann > 0.0 && !(of_grain > 0.0 && temperature > 0.0))
    error->one(FLERR,
               "{}: temperature of grain {} = {:g} and of the wall = {:g} must be > 0: radiation needs absolute "
               "temperatures",
               message_prefix, atom->tag[grain], of_grain, temperature);
  double heat = 0.0;
  for (const WallPoint &point : points)
    if (point.distance > 0.0)
      heat += Gap::flow(Gap::at_plane(constants, radius, point.distance), of_grain, temperature);
  flows.push_back({grain, heat});
}
