#include "wall_transfer.h"

#include "atom.h"

#include <algorithm>
#include <vector>

using namespace LAMMPS_NS;
using namespace granular_plus;

WallTransfer::WallTransfer(FixWallGranularPlus &fix) : fix(&fix)
{
  const auto surface = fix.simple();
  const WallContacts &touching = fix.wall_contacts();
  obstacle = !surface                       ? "a wall that is a region"
      : fix.needs_variables()               ? "a wall moved or loaded by a variable"
      : !touching.obstacle_on_gpu().empty() ? touching.obstacle_on_gpu()
                                            : fix.obstacle_on_gpu();
  if (!obstacle.empty()) return;
  const Atom &atom = *fix.atoms();
  const bool is_mesh = surface->kind == SimpleSurface::MESH;
  for (int a = 0; surface->kind == SimpleSurface::CYLINDER && a < atom.nlocal; ++a)
    if (atom.radius[a] >= 2.0 * surface->radius) obstacle = "a grain that does not fit into the cylinder";
  const PairGroup &group = touching.batches.pair_group;
  if (touching.liquid.thickness.varies()) obstacle = "a wall whose film thickness is a variable";
  if (group.passes_heat && fix.temperature_varies()) obstacle = "a wall whose temperature is a variable";
  if (group.constants.gap_heat.stefan_boltzmann > 0.0 && !(fix.temperature_now() > 0.0))
    obstacle = "a wall that radiates at a temperature that is not > 0";
  if (is_mesh && group.breaking_gap) obstacle = "a mesh with a contact model that acts across a gap";
  // the order in which forces on the wall are summed would depend on the contacts of all grains
  if (group.separated.count > 0 && fix.under_load())
    obstacle = "a wall under load with a contact model that acts across a gap";
  const int values = touching.layout.size;
  plan = {fix.groupbit,
          *surface,
          {},
          fix.temperature_now(),
          touching.links.extra_values() > 0,
          values,
          contact_stages(group, values, touching.layout.has_ledger, is_mesh),
          group.constants,
          is_mesh ? fix.triangles() : nullptr,
          {},
          touching.liquid.thickness.number};
  observables = touching.layout.has_ledger ? touching.layout.observables : 0;
}

int WallTransfer::owned() const { return fix->atoms()->nlocal; }

void WallTransfer::provide(steps::MeshRoom &room)
{
  if (!plan.mesh) return;
  const ContactLinks &links = fix->wall_contacts().links;
  for (int a = 0; a < owned(); ++a)
    if (links.count(a) > room.contacts) room.contacts = steps::MeshRoom::MOST_CONTACTS;
  plan.room = room;
  plan.surface.sides = room.contacts;
}

RememberedContacts WallTransfer::upload()
{
  upload_step = fix->present_step();
  const ContactLinks &links = fix->wall_contacts().links;
  const std::size_t count = contacts(), values = plan.values, extra = links.extra_values();
  RememberedContacts uploaded{std::vector<double>(count * values), std::vector<double>(count * extra),
                              std::vector<int>(count), std::vector<int>(plan.mesh ? count : 0)};
  for (int a = 0; a < owned(); ++a) {
    int rank = 0;
    for (Link link = links.first(a); link != Link::NONE; link = links.next(link)) {
      const auto name = static_cast<int>(links.partner(link));
      int side = plan.mesh ? rank : 0;
      while (!plan.mesh && plan.surface.number[side] != name) ++side;
      const int contact = side * owned() + a;
      uploaded.alive[contact] = ++rank;
      if (plan.mesh) uploaded.names[contact] = name;
      for (std::size_t h = 0; h < values; ++h) uploaded.history[h * count + contact] = links.own_row(link)[h];
      for (std::size_t h = 0; h < extra; ++h) uploaded.extra[h * count + contact] = links.own_extra(link)[h];
    }
  }
  uploaded.loaded = fix->under_load();
  return uploaded;
}

// Returns the contacts of a grain in the order in which WallContacts::evaluate leaves its links.

std::vector<int> WallTransfer::contacts_of(int grain, const RememberedContacts &uploaded) const
{
  std::vector<int> all;
  for (int side = 0; side < plan.surface.sides; ++side)
    if (uploaded.alive[side * owned() + grain]) all.push_back(side * owned() + grain);
  if (plan.mesh)
    std::sort(all.begin(), all.end(),
              [&uploaded](int one, int other) { return uploaded.alive[one] < uploaded.alive[other]; });
  return all;
}

void WallTransfer::download(const RememberedContacts &uploaded, double timestep) const
{
  ContactLinks &links = fix->wall_contacts().links;
  const std::size_t count = contacts(), values = plan.values, extra = links.extra_values();
  std::vector<Link> before;
  for (int a = 0; a < owned(); ++a) {
    links.detach_links(a, before);
    for (const int contact : contacts_of(a, uploaded)) {
      const int number = plan.mesh ? uploaded.names[contact] : plan.surface.number[contact / owned()];
      const Link known = links.find(before, number), link = known == Link::NONE ? links.make(number) : known;
      links.append(a, link);
      double *row = links.own_row(link);
      for (std::size_t h = 0; h < values; ++h) row[h] = uploaded.history[h * count + contact];
      row[values] = ContactLinks::ALIVE;
      for (std::size_t h = 0; h < extra; ++h) links.own_extra(link)[h] = uploaded.extra[h * count + contact];
    }
    for (const Link link : before)
      if (!links.holds(a, link)) links.recycle(link);
  }
  fix->wall_contacts().add_engine_results(uploaded.observed, timestep * uploaded.heat_made,
                                          timestep * uploaded.heat_of_wall);
  fix->wall_contacts().liquid.add_engine_results(uploaded.taken, uploaded.outside_fit);
  if (fix->present_step() == upload_step) return;
  if (uploaded.loaded) fix->set_state_under_load(*uploaded.loaded);
  if (uploaded.loaded) fix->pose_at(fix->present_step());
  if (uploaded.load.empty()) return;
  const WallPose in_first = fix->pose_at(upload_step + 1), in_next = fix->pose_at(fix->present_step() + 1);
  using Loads = steps::WallLoads;
  fix->add_engine_load(&uploaded.load[Loads::FORCE], &uploaded.load[Loads::TORQUE], uploaded.load[Loads::POWER],
                       uploaded.load[Loads::WORK], in_first, in_next);
  fix->pose_at(fix->present_step());
}
