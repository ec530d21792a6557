#include "cone_region.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace LAMMPS_NS;

namespace {

using Place = std::array<double, 3>;

constexpr int END_LOW = 0, END_HIGH = 1;

template <class Look> int with_faces(Region &cone, std::array<int, 6> open, const Look &look)
{
  std::swap_ranges(open.begin(), open.end(), cone.open_faces);
  const int count = look();
  std::swap_ranges(open.begin(), open.end(), cone.open_faces);
  return count;
}

// Returns points on all six sides of the centre. Because the offsets are unequal, no point lies on the axis of the
// cone.
std::vector<Place> places_around(const double *centre, double size)
{
  std::vector<Place> places;
  for (int d = 0; d < 3; ++d)
    for (const double side : {-10.0, 10.0}) {
      Place place{centre[0] + 3.1 * size, centre[1] + 2.7 * size, centre[2] - 2.3 * size};
      place[d] = centre[d] + side * size;
      places.push_back(place);
    }
  return places;
}

// Returns the first of `places` that is inside the cone. If none is inside, returns the mean of the points on the
// surface that are nearest to `places`.
Place place_inside(Region &cone, const std::array<int, 6> &closed, std::vector<Place> places)
{
  Place mean{};
  for (Place &place : places) {
    if (cone.inside(place[0], place[1], place[2])) return place;
    with_faces(cone, closed, [&] { return cone.surface_exterior(place.data(), INFINITY); });
    const auto &nearest = cone.contact[0];
    const double separation[] = {nearest.delx, nearest.dely, nearest.delz};
    for (int d = 0; d < 3; ++d) mean[d] += (place[d] - separation[d]) / static_cast<double>(places.size());
  }
  return mean;
}

struct Distances {
  double least = INFINITY, to_end = INFINITY;
};

Distances distances_from(Region &cone, const std::array<int, 6> &closed, Place place)
{
  Distances found;
  const int count = with_faces(cone, closed, [&] { return cone.surface_interior(place.data(), INFINITY); });
  for (int k = 0; k < count; ++k) {
    found.least = std::min(found.least, cone.contact[k].r);
    if (cone.contact[k].iwall <= END_HIGH) found.to_end = cone.contact[k].r;
  }
  return found;
}

}    // namespace

ConeEnds LAMMPS_NS::find_cone_ends(Region &cone, const double *centre, double size)
{
  ConeEnds ends;
  const auto places = places_around(centre, size);
  const auto outside = std::find_if(places.begin(), places.end(),
                                    [&](const Place &place) { return !cone.inside(place[0], place[1], place[2]); });
  if (outside == places.end()) return ends;
  for (const int end : {END_LOW, END_HIGH}) {
    std::array<int, 6> all_others{1, 1, 1, 1, 1, 1};
    all_others[end] = 0;
    Place place = *outside;
    if (with_faces(cone, all_others, [&] { return cone.surface_exterior(place.data(), INFINITY); }) == 0)
      ends.closed[end] = 1;
  }
  Place place = place_inside(cone, ends.closed, places);
  const Distances here = distances_from(cone, ends.closed, place);
  const double step = 0.5 * here.least;
  place[1] += step;
  ends.across_y = std::fabs(distances_from(cone, ends.closed, place).to_end - here.to_end) > 0.5 * step;
  return ends;
}
