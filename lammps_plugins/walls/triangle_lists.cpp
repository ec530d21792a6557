#include "triangle_lists.h"

#include "../core/geometry/meshes/patches.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;
using granular_plus::Vector;

void TriangleLists::make(List &list, const Vector &centre, double reach, double radius, double spare)
{
  constexpr double NARROW = 0.1;    // margin divided by the radius
  constexpr double ROUND_OFF = 1.0e-13;
  list.place = centre;
  list.begin = static_cast<int>(all.size());
  list.reach = reach + std::max(spare, NARROW * radius);
  mesh->find_near(centre, list.reach, all);
  if (static_cast<int>(all.size()) > list.begin) {
    list.reach = reach + NARROW * radius;
    granular_plus::Footprint footprint;
    const auto far = [&](int triangle) {
      return !find_footprint(mesh->facet(triangle), centre, 1.0, list.reach, footprint);
    };
    all.erase(std::remove_if(all.begin() + list.begin, all.end(), far), all.end());
  }
  list.end = static_cast<int>(all.size());
  list.likely = 0;
  const auto in_plane_of_first = [&](int triangle) {
    const auto &one = mesh->facet(all[list.begin]), &other = mesh->facet(triangle);
    const Vector turned = cross(one.normal, other.normal);
    return dot(turned, turned) < ROUND_OFF * ROUND_OFF &&
        std::fabs(dot(one.normal, other.corner[0] - one.corner[0])) < ROUND_OFF * radius;
  };
  list.flat = std::all_of(all.begin() + list.begin, all.end(), in_plane_of_first);
}
