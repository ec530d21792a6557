#include "grain_placer.h"

#include "../glue/over_ranks.h"
#include "../walls/fix_wall_granular_plus.h"

#include "atom.h"
#include "domain.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace LAMMPS_NS;

GrainPlacer::GrainPlacer(LAMMPS *lmp, InsertionPlace &place, double largest_radius, int tries,
                         std::function<double()> random)
    : Pointers(lmp), room(place), largest_radius(largest_radius), tries(tries), random(std::move(random)),
      space(place.low, place.high, 2.0 * largest_radius)
{
  add_all_around();
}

bool GrainPlacer::place(PlacedGrain &one)
{
  const double radius = 0.5 * one.grain.diameter;
  for (int attempt = 0; attempt < tries; ++attempt) {
    double uniform[3];
    for (double &each : uniform) each = random();
    room.draw(uniform, one.place);
    if (domain->dimension == 2) one.place[2] = 0.0;
    if (!fits(radius, one.place)) continue;
    if (one.has_shape)
      for (double &each : one.turn) each = random();
    mark_occupied(one);
    return true;
  }
  return false;
}

bool GrainPlacer::place_without_taking(std::vector<PlacedGrain> &batch)
{
  constexpr double NARROW = 1.05;    // grains whose diameters differ by a smaller factor keep their order
  std::vector<std::pair<int, std::size_t>> sequence;
  for (std::size_t n = 0; n < batch.size(); ++n)
    sequence.emplace_back(static_cast<int>(std::log(2.0 * largest_radius / batch[n].grain.diameter) / std::log(NARROW)),
                          n);
  std::sort(sequence.begin(), sequence.end());
  std::size_t count = 0;
  while (count < batch.size() && place(batch[sequence[count].second])) ++count;
  for (std::size_t n = 0; n < count; ++n) {
    const PlacedGrain &one = batch[sequence[n].second];
    for_each_image(one.place, 0.5 * one.grain.diameter,
                   [&](const double *image) { space.remove({{image[0], image[1], image[2]}, 0.0}); });
  }
  return count == batch.size();
}

void GrainPlacer::mark_occupied(const PlacedGrain &one) { add_images(one.place, 0.5 * one.grain.diameter); }

bool GrainPlacer::fits(double radius, const double *point)
{
  if (!room.holds(point, radius)) return false;
  constexpr int FIXED = 1;    // other boundaries move or are periodic
  double in_box[3] = {point[0], point[1], point[2]};
  if (domain->triclinic) domain->x2lamda(in_box, in_box);
  const double *begin = domain->triclinic ? domain->boxlo_lamda : domain->boxlo;
  const double *end = domain->triclinic ? domain->boxhi_lamda : domain->boxhi;
  for (int d = 0; d < 3; ++d) {
    if (domain->boundary[d][0] == FIXED && in_box[d] < begin[d]) return false;
    if (domain->boundary[d][1] == FIXED && in_box[d] >= end[d]) return false;
  }
  if (space.overlaps({{point[0], point[1], point[2]}, radius})) return false;
  for (FixWallGranularPlus *wall : granular_walls(lmp))
    if (wall->touches(point, radius)) return false;
  return true;
}

void GrainPlacer::add_all_around()
{
  std::vector<OccupiedSpace::Sphere> near;
  for (int i = 0; i < atom->nlocal; ++i) {
    const double *x = atom->x[i];
    bool is_near = false;
    for_each_image(x, atom->radius[i], [&](const double *) { is_near = true; });
    if (is_near) near.push_back({{x[0], x[1], x[2]}, atom->radius[i]});
  }
  for (const auto &one : gathered(world, near, true)) add_images(one.centre, one.radius);
}

void GrainPlacer::add_images(const double *point, double radius)
{
  for_each_image(point, radius, [&](const double *image) { space.add({{image[0], image[1], image[2]}, radius}); });
}

template <class See> void GrainPlacer::for_each_image(const double *point, double radius, const See &see) const
{
  const double *h = domain->h, reach = radius + largest_radius;
  const int periods[3] = {domain->xperiodic, domain->yperiodic, domain->zperiodic};
  for (int k = -periods[2]; k <= periods[2]; ++k)
    for (int j = -periods[1]; j <= periods[1]; ++j)
      for (int i = -periods[0]; i <= periods[0]; ++i) {
        const double image[3] = {point[0] + i * h[0] + j * h[5] + k * h[4], point[1] + j * h[1] + k * h[3],
                                 point[2] + k * h[2]};
        bool is_near = true;
        for (int d = 0; d < 3; ++d)
          is_near = is_near && image[d] > room.low[d] - reach && image[d] < room.high[d] + reach;
        if (is_near) see(image);
      }
}
