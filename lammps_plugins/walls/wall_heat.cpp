#include "wall_heat.h"

#include "../core/laws/heat/gas.h"

#include "atom.h"

#include <algorithm>

using namespace LAMMPS_NS;
using granular_plus::GapHeatConstants;
using granular_plus::heat::Gas;

void WallHeat::pass(const GapHeatConstants &constants, int grain, double temperature)
{
  constexpr int ANY_NUMBER = 2;    // of contacts that the grain had before
  const double radius = atom->radius[grain], within = radius + Gas::reach(constants, radius, 0.0);
  points.clear();
  surface.points_near(grain, atom->x[grain], radius, within, ANY_NUMBER, points);
  if (surface.has_patches() && !points.empty()) {
    std::iter_swap(points.begin(), std::min_element(points.begin(), points.end(), [](const auto &a, const auto &b) {
                     return a.distance < b.distance;
                   }));
    points.resize(1);
  }
  double conductance = 0.0;
  for (const WallPoint &point : points)
    if (point.distance > 0.0) conductance += Gas::at_plane(constants, radius, point.distance);
  if (conductance == 0.0) return;
  const double heat = conductance * (temperature - atom->temperature[grain]);
  atom->heatflow[grain] += heat;
  flows.push_back({grain, heat});
}
