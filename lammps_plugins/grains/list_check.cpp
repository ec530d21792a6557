#include "list_check.h"

#include "../glue/over_ranks.h"
#include "../glue/share_of_pair.h"
#include "../glue/surroundings.h"

#include "../core/history/near_grains.h"

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "neighbor.h"
#include "update.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

using namespace LAMMPS_NS;

namespace {

using Names = std::pair<tagint, tagint>;    // IDs of two grains, the lower one first

Names names_of(tagint a, tagint b) { return {std::min(a, b), std::max(a, b)}; }

constexpr double ROUNDING = 1.0e-12;    // relative rounding error of the distance to an image

}    // namespace

ListCheck::ListCheck(LAMMPS *lmp) : Pointers(lmp), on(is_switched_on(lmp->error, "GRANULAR_PLUS_CHECK_LISTS")) {}

std::vector<ListCheck::Grain> ListCheck::all_grains() const
{
  std::vector<Grain> here;
  for (int a = 0; a < atom->nlocal; ++a) {
    const double *x = atom->x[a];
    here.push_back({{x[0], x[1], x[2]},
                    atom->radius[a],
                    atom->type[a],
                    atom->mask[a],
                    atom->tag[a],
                    atom->molecule ? atom->molecule[a] : 0});
  }
  return gathered(world, here, true);
}

void ListCheck::check(const granular_plus::ModelTable &models, const GrainNeighbors &neighbors,
                      const granular_plus::ContactList &list) const
{
  // distance within which a pair acts even if it has not touched before
  const auto reach = [&](int itype, int jtype, double iradius, double jradius) {
    if (!models.has(itype, jtype)) return iradius + jradius;
    const auto &model = models.of(itype, jtype);
    const double attraction = model.attracts() ? model.breaking_gap(iradius, jradius, granular_plus::kernels()) : 0.0;
    return iradius + jradius + std::max(attraction, model.heat_gap(iradius, jradius));
  };
  std::vector<Names> listed_here;
  for (int p = 0; p < list.size(); ++p) {
    const int i = list.i(p), j = list.j(p);
    const double limit = reach(atom->type[i], atom->type[j], atom->radius[i], atom->radius[j]);
    if (std::sqrt(squared_distance(atom->x[i], atom->x[j])) < limit * (1.0 + ROUNDING) &&
        is_listed_here(lmp, i, j, neighbors.see_pairs_once()))
      listed_here.push_back(names_of(atom->tag[i], atom->tag[j]));
  }
  struct Count {
    int listed = 0, certain = 0, possible = 0;
    double distance = 0.0;
  };
  std::map<Names, Count> counts;
  const auto grains = all_grains();
  double largest = 0.0;
  for (const Grain &grain : grains) largest = std::max(largest, grain.radius);
  const double furthest = (2.0 * largest + neighbors.widest_gap()) * (1.0 + 2.0 * ROUNDING);

  struct Image {
    double place[3];
    int grain, shift;    // shift is 0 for the grain itself; opposite images have shifts of opposite sign
  };
  std::vector<Image> images;
  granular_plus::Extent extent;
  for (const Grain &grain : grains)
    for (int d = 0; d < 3; ++d) {
      extent.low[d] = std::min(extent.low[d], grain.place[d]);
      extent.high[d] = std::max(extent.high[d], grain.place[d]);
    }
  for (int g = 0; g < static_cast<int>(grains.size()); ++g)
    for (int nx = -domain->xperiodic; nx <= domain->xperiodic; ++nx)
      for (int ny = -domain->yperiodic; ny <= domain->yperiodic; ++ny)
        for (int nz = -domain->zperiodic; nz <= domain->zperiodic; ++nz) {
          const double *x = grains[g].place;
          Image image{{x[0] + nx * domain->xprd + ny * domain->xy + nz * domain->xz,
                       x[1] + ny * domain->yprd + nz * domain->yz, x[2] + nz * domain->zprd},
                      g,
                      9 * nx + 3 * ny + nz};
          bool is_near = true;
          for (int d = 0; d < 3; ++d)
            is_near =
                is_near && image.place[d] > extent.low[d] - furthest && image.place[d] < extent.high[d] + furthest;
          if (is_near) images.push_back(image);
        }
  const auto is_left_of = [](const Image &a, const Image &b) { return a.place[0] < b.place[0]; };
  std::sort(images.begin(), images.end(), is_left_of);
  const auto see = [&](const Image &a, const Image &b) {
    // Counts each pair once: one of the two must be a grain itself, and the shift of the other must not be negative,
    // because opposite images describe the same pair.
    const Image *own = a.shift == 0 ? &a : &b, *other = own == &a ? &b : &a;
    if (own->shift != 0 || other->shift < 0) return;
    const Grain &i = grains[own->grain], &j = grains[other->grain];
    const double limit = reach(i.type, j.type, i.radius, j.radius);
    const double distance = std::sqrt(squared_distance(a.place, b.place));
    if (!(distance < limit * (1.0 + ROUNDING)) || !models.has(i.type, j.type)) return;
    if (neighbors.excludes({i.type, i.mask, i.molecule}, {j.type, j.mask, j.molecule})) return;
    Count &count = counts[names_of(i.tag, j.tag)];
    ++count.possible;
    count.certain += distance < limit * (1.0 - ROUNDING);
    count.distance = distance;
  };
  for (auto a = images.begin(); a != images.end(); ++a)
    for (auto b = a + 1; b != images.end() && b->place[0] - a->place[0] < furthest; ++b) see(*a, *b);

  for (const Names &names : gathered(world, listed_here, true)) ++counts[names].listed;
  for (const auto &[names, count] : counts)
    if (count.listed < count.certain || count.listed > count.possible)
      error->all(FLERR,
                 "granular/plus: grains {} and {} act on each other through {} images (distance {:.8g}), but the "
                 "neighbour list contains them {} times. This is step {}, {} steps after the list was built",
                 names.first, names.second, count.certain, count.distance, count.listed, update->ntimestep,
                 neighbor->ago);
}
