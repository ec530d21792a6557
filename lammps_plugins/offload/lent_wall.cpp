#include "lent_wall.h"

#include "atom.h"

#include <vector>

using namespace LAMMPS_NS;
using namespace granular_plus;

LentWall::LentWall(FixWallGranularPlus &fix) : fix(&fix)
{
  const auto surface = fix.simple();
  const WallContacts &touching = fix.touching();
  obstacle = !surface       ? "a wall that is neither a plane nor a cylinder"
      : !fix.follows_time() ? "a wall that moves under a load or by a variable"
                            : touching.beyond_forces();
  if (!obstacle.empty()) return;
  const Atom &atom = *fix.atoms();
  for (int a = 0; surface->is_cylinder && a < atom.nlocal; ++a)
    if (atom.radius[a] >= 2.0 * surface->radius) obstacle = "a grain that does not fit into the cylinder";
  const PairGroup &group = touching.pair_group;
  const int values = touching.layout.size;
  plan = {fix.groupbit,   *surface,       {},           touching.links.numbers_beside() > 0,
          values,         group.touching, group.ending, stages_on_card(group, values, touching.layout.has_ledger),
          group.constants};
  observables = touching.layout.has_ledger ? touching.layout.observables : 0;
}

int LentWall::owned() const { return fix->atoms()->nlocal; }

RememberedContacts LentWall::lend()
{
  lent_in = fix->present_step();
  const ContactLinks &links = fix->touching().links;
  const std::size_t count = contacts(), values = plan.values, beside = links.numbers_beside();
  RememberedContacts lent{std::vector<double>(count * values), std::vector<double>(count * beside),
                          std::vector<int>(count)};
  for (int a = 0; a < owned(); ++a)
    for (int link = links.first(a); link >= 0; link = links.next(link)) {
      int side = 0;
      while (plan.surface.number[side] != links.partner(link)) ++side;
      const int contact = side * owned() + a;
      lent.alive[contact] = 1;
      for (std::size_t h = 0; h < values; ++h) lent.history[h * count + contact] = links.own_row(link)[h];
      for (std::size_t h = 0; h < beside; ++h) lent.beside[h * count + contact] = links.own_beside(link)[h];
    }
  return lent;
}

// as WallContacts::evaluate leaves them: in each chain in the order of the wall's sides

void LentWall::take_back(const RememberedContacts &lent) const
{
  ContactLinks &links = fix->touching().links;
  const std::size_t count = contacts(), values = plan.values, beside = links.numbers_beside();
  std::vector<int> before;
  for (int a = 0; a < owned(); ++a) {
    links.take_out(a, before);
    for (int side = 0; side < plan.surface.sides; ++side) {
      const int contact = side * owned() + a, number = plan.surface.number[side];
      if (!lent.alive[contact]) continue;
      const int known = links.find(before, number), link = known < 0 ? links.make(number) : known;
      links.put_back(a, link);
      double *row = links.own_row(link);
      for (std::size_t h = 0; h < values; ++h) row[h] = lent.history[h * count + contact];
      row[values] = ContactLinks::ALIVE;
      for (std::size_t h = 0; h < beside; ++h) links.own_beside(link)[h] = lent.beside[h * count + contact];
    }
    for (const int link : before)
      if (!links.holds(a, link)) links.drop(link);
  }
  fix->touching().take_over(lent.observed);
  if (lent.load.empty() || fix->present_step() == lent_in) return;
  const WallPose in_first = fix->pose_at(lent_in + 1), in_next = fix->pose_at(fix->present_step() + 1);
  fix->take_over_load(&lent.load[0], &lent.load[3], lent.load[6], in_first, in_next);
  fix->pose_at(fix->present_step());
}
