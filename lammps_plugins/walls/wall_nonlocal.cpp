#include "wall_nonlocal.h"

#include "../grains/pair_granular_plus.h"

#include "atom.h"
#include "error.h"
#include "update.h"

#include <algorithm>

using namespace LAMMPS_NS;
using namespace granular_plus;

void WallNonlocal::init(int new_first_value)
{
  first_value = new_first_value;
  auto *pair = granular_pair(lmp);
  const bool pairs_are = pair && pair->contacts.nonlocal.any();
  law = model.nonlocal_law();
  if (any != pairs_are && (any || pair))
    error->all(FLERR, "{}: normal model {} must be used for both pairs and walls, or for neither", message_prefix,
               any ? law.name : pair->contacts.nonlocal.name());
  if (!any) return;
  if (surface.has_patches())
    error->all(FLERR, "{}: normal model {} cannot be combined with wall style mesh", message_prefix, law.name);
  forces = &pair->contacts.nonlocal;
  forces->check_same(message_prefix, law);
}

void WallNonlocal::add_contacts(const NearGrains &near, int groupbit)
{
  for (int k = 0; k < near.size(); ++k) {
    const int i = near.grain(k);
    if (!links.has(i) && !(law.couples() && (atom->mask[i] & groupbit))) continue;
    points.clear();
    met.clear();
    surface.points_near(i, atom->x[i], atom->radius[i], atom->radius[i], WallSurface::ALL_POINTS, points);
    for (const WallPoint &point : points) {
      if (!(point.distance < atom->radius[i])) continue;
      Link link = links.first(i);
      const auto is_another = [&] {
        return links.partner(link) != point.surface || std::find(met.begin(), met.end(), link) != met.end();
      };
      while (link != Link::NONE && is_another()) link = links.next(link);
      if (link != Link::NONE) met.push_back(link);
      forces->add_surface_contact(i, law, view(i, point, link));
    }
  }
}

void WallNonlocal::compute_force(int grain, const WallPoint &point, Link link, double mass, double normal_speed,
                                 bool is_step)
{
  links.own_row(link)[links.row_size()] = ContactLinks::ALIVE;    // otherwise the row would be treated as new
  NonlocalContact contact = view(grain, point, link);
  contact.effective_mass = mass;
  contact.separation_change = update->dt * normal_speed;
  forces->compute_surface_force(grain, law, contact, is_step);
}

NonlocalContact WallNonlocal::view(int grain, const WallPoint &point, Link link)
{
  NonlocalContact contact{};
  contact.grains[0] = contact.grains[1] = forces->grain(grain);
  contact.sides = 1;
  contact.distance = point.distance;
  contact.overlap = atom->radius[grain] - point.distance;
  contact.effective_radius = atom->radius[grain] * point.surface_radius / (atom->radius[grain] + point.surface_radius);
  for (int d = 0; d < 3; ++d) contact.normal[d] = point.distance > 0.0 ? point.separation[d] / point.distance : 0.0;
  contact.kept = link != Link::NONE ? links.own_row(link) + first_value : nullptr;
  return contact;
}
